# What `make install` puts where. Manual pages and completions are made by the program itself, at the
# time of installing, so that no list of commands stands here.
include(GNUInstallDirs)

set(pages ${CMAKE_BINARY_DIR}/share)
install(TARGETS loadline RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(CODE "execute_process(
  COMMAND \"${CMAKE_SOURCE_DIR}/tools/pages.sh\" \"$<TARGET_FILE:loadline>\" \"${pages}\"
  COMMAND_ERROR_IS_FATAL ANY)")
install(DIRECTORY ${pages}/ DESTINATION ${CMAKE_INSTALL_DATADIR})
install(FILES README.md CHANGELOG.md LICENSE docs/measuring.md docs/results-format.md
  docs/result.schema.json
  DESTINATION ${CMAKE_INSTALL_DOCDIR})
