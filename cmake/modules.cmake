# loadline_module(name [libs…])   src/name/*.c → library ll_name, part of ll_all
# loadline_program(name dir [libs…])  dir/*.c → the program, linked with ll_all
# What becomes a test stands in cmake/testing.cmake.

set(LOADLINE_WARNINGS
    -Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion -Wstrict-prototypes
    -Wmissing-prototypes -Wvla -Wformat=2 -Wundef -Wcast-qual)
if(LOADLINE_WERROR)
  list(APPEND LOADLINE_WARNINGS -Werror)
endif()

add_library(ll_all INTERFACE)

function(loadline_options target)
  target_include_directories(${target} PRIVATE ${CMAKE_SOURCE_DIR}/src)
  target_compile_definitions(${target} PRIVATE _GNU_SOURCE _FILE_OFFSET_BITS=64
    LOADLINE_VERSION="${PROJECT_VERSION}")
  target_compile_options(${target} PRIVATE ${LOADLINE_WARNINGS} -ffp-contract=off)
  if(LOADLINE_LTO)
    # Fat objects: only what is measured with is optimised across files, tests link as before.
    target_compile_options(${target} PRIVATE -flto=auto -ffat-lto-objects)
    target_link_options(${target} PRIVATE -fno-lto)
  endif()
endfunction()

# For what is shipped or measured: the way from one op to the next crosses four files.
function(loadline_across_files target)
  if(LOADLINE_LTO)
    target_link_options(${target} PRIVATE -flto=auto)
  endif()
endfunction()

function(loadline_module name)
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/${name}/*.c)
  if(NOT sources)
    return()
  endif()
  add_library(ll_${name} STATIC ${sources})
  loadline_options(ll_${name})
  # Declared lowest first, so all that stands before may be needed; tools/floors.txt says what may.
  get_property(below GLOBAL PROPERTY LOADLINE_MODULES)
  target_link_libraries(ll_${name} PUBLIC ${below} ${ARGN})
  set_property(GLOBAL PROPERTY LOADLINE_MODULES ll_${name} ${below})
  target_link_libraries(ll_all INTERFACE ll_${name})
endfunction()

function(loadline_program name dir)
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/${dir}/*.c)
  if(NOT sources)
    return()
  endif()
  add_executable(${name} ${sources})
  loadline_options(${name})
  loadline_across_files(${name})
  target_link_libraries(${name} PRIVATE ll_all ${ARGN})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${LOADLINE_PROGRAM_DIR})
endfunction()
