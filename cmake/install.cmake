# What `make install` puts where. Manual pages and completions are made by the program itself, at the
# time of installing, so that no list of commands stands here.
include(GNUInstallDirs)

set(pages ${CMAKE_BINARY_DIR}/share)
install(TARGETS loadline RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(CODE "execute_process(
  COMMAND \"${CMAKE_SOURCE_DIR}/tools/pages.sh\" \"$<TARGET_FILE:loadline>\" \"${pages}\"
  COMMAND_ERROR_IS_FATAL ANY)")
install(DIRECTORY ${pages}/ DESTINATION ${CMAKE_INSTALL_DATADIR})
# As they lie in the source, so that what README.md and they link to is there.
install(FILES README.md ARCHITECTURE.md CHANGELOG.md CONTRIBUTING.md LICENSE
  DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR} FILES_MATCHING
  PATTERN "*.md" PATTERN "*.json")
install(DIRECTORY examples DESTINATION ${CMAKE_INSTALL_DOCDIR} USE_SOURCE_PERMISSIONS)
# Part of the program as well; here to be read, copied and changed.
install(DIRECTORY workloads DESTINATION ${CMAKE_INSTALL_DATADIR}/loadline FILES_MATCHING
  PATTERN "*.f" PATTERN "*.suite")
install(DIRECTORY profiles DESTINATION ${CMAKE_INSTALL_DATADIR}/loadline FILES_MATCHING
  PATTERN "*.profile")
