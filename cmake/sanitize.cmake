# LOADLINE_SANITIZE and LOADLINE_FUZZ become flags of everything that is compiled.

if(LOADLINE_SANITIZE STREQUAL "address")
  # Without -fno-sanitize-recover undefined behaviour is printed and the test passes.
  add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=all
    -fno-omit-frame-pointer)
  add_link_options(-fsanitize=address,undefined)
elseif(LOADLINE_SANITIZE STREQUAL "thread")
  add_compile_options(-fsanitize=thread -fno-omit-frame-pointer)
  add_link_options(-fsanitize=thread)
elseif(LOADLINE_SANITIZE)
  message(FATAL_ERROR "LOADLINE_SANITIZE is address, thread or empty, not ${LOADLINE_SANITIZE}")
endif()

if(LOADLINE_FUZZ)
  if(NOT CMAKE_C_COMPILER_ID STREQUAL "Clang")
    message(FATAL_ERROR "LOADLINE_FUZZ needs clang: its libFuzzer")
  endif()
  # Coverage in the modules is what guides a fuzzer; only the fuzzers themselves link its main.
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()
