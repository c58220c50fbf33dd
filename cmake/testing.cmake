# Tests are found by their names; a new one needs no line here.
#
# loadline_tests(kind)         tests/kind/test_*.c → one cmocka program and test each; test_programs builds
#                              all of them, and what they need of tests/server
# loadline_python(kind files…) one test for each Python file
# loadline_fuzz()              tests/fuzz/fuzz_NAME.c → a test that replays tests/fuzz/corpus/NAME,
#                              and with LOADLINE_FUZZ a fuzzer, run by the tests labelled fuzzing
#
# A test of conform/ with nfs in its name finds the servers of tests/server running.
#
# ctest calls a run with skipped tests passed, so a skip must not look like a pass: in C it is a
# failure; in Python (no root, no free loop device) it is shown as skipped, which .ci/run refuses.

# What tests of the program are told, and kept away from: the results of whoever runs them.
set(LOADLINE_TEST_ENVIRONMENT
    SOURCE_DIR=${CMAKE_SOURCE_DIR}
    BUILD_DIR=${CMAKE_BINARY_DIR}
    LOADLINE_SANITIZE=${LOADLINE_SANITIZE}
    XDG_DATA_HOME=${CMAKE_BINARY_DIR}/test-home
    TSAN_OPTIONS=suppressions=${CMAKE_SOURCE_DIR}/tests/tsan-suppressions.txt
    PYTHONDONTWRITEBYTECODE=1
    PYTHONPATH=${CMAKE_SOURCE_DIR}/tests/server
    LC_ALL=C.UTF-8)

add_custom_target(test_programs)

function(loadline_tests kind)
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${kind}/test_*.c)
  foreach(source ${sources})
    get_filename_component(test ${source} NAME_WE)
    add_executable(${test} ${source})
    loadline_options(${test})
    target_include_directories(${test} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
    target_link_libraries(${test} PRIVATE PkgConfig::CMOCKA ll_all)
    add_dependencies(test_programs ${test})
    add_test(NAME ${kind}/${test} COMMAND ${test})
    set_tests_properties(${kind}/${test} PROPERTIES
      LABELS ${kind}
      TIMEOUT 900
      ENVIRONMENT "${LOADLINE_TEST_ENVIRONMENT}"
      FAIL_REGULAR_EXPRESSION "\\[  SKIPPED \\]")
    if(kind STREQUAL "conform" AND test MATCHES "nfs")
      set_tests_properties(${kind}/${test} PROPERTIES FIXTURES_REQUIRED servers)
    endif()
  endforeach()
endfunction()

function(loadline_python kind)
  foreach(file ${ARGN})
    get_filename_component(test ${file} NAME_WE)
    add_test(NAME ${kind}/${test} COMMAND ${Python3_EXECUTABLE} ${file})
    set(environment ${LOADLINE_TEST_ENVIRONMENT})
    if(TARGET loadline)
      list(APPEND environment LOADLINE=$<TARGET_FILE:loadline>)
    endif()
    set_tests_properties(${kind}/${test} PROPERTIES
      LABELS ${kind}
      TIMEOUT 1800
      ENVIRONMENT "${environment}"
      SKIP_RETURN_CODE 77
      SKIP_REGULAR_EXPRESSION "OK \\(skipped=")
  endforeach()
endfunction()

function(loadline_fuzz)
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/fuzz/fuzz_*.c)
  foreach(source ${sources})
    get_filename_component(fuzzer ${source} NAME_WE)
    string(REPLACE "fuzz_" "" name ${fuzzer})
    set(corpus ${CMAKE_CURRENT_SOURCE_DIR}/fuzz/corpus/${name})

    add_executable(replay_${name} ${source} fuzz/replay.c)
    loadline_options(replay_${name})
    target_include_directories(replay_${name} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
    target_link_libraries(replay_${name} PRIVATE ll_all)
    add_test(NAME fuzz/replay_${name} COMMAND replay_${name} ${corpus})
    set_tests_properties(fuzz/replay_${name} PROPERTIES LABELS fuzz TIMEOUT 900)

    if(LOADLINE_FUZZ)
      add_executable(${fuzzer} ${source})
      loadline_options(${fuzzer})
      target_include_directories(${fuzzer} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
      target_link_libraries(${fuzzer} PRIVATE ll_all)
      target_link_options(${fuzzer} PRIVATE -fsanitize=fuzzer)
      add_test(NAME fuzzing/${fuzzer}
        COMMAND ${CMAKE_SOURCE_DIR}/tools/fuzz.sh $<TARGET_FILE:${fuzzer}> ${corpus})
      set_tests_properties(fuzzing/${fuzzer} PROPERTIES LABELS fuzzing TIMEOUT 100000)
    endif()
  endforeach()
endfunction()
