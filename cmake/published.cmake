# loadline_published(program csv SYSTEM name …)   the rows of csv → a C table in the program, each
# system of it under the name that it is shipped by (src/cli/published.h)

function(loadline_published program csv)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${csv})
  set(names ${ARGN})
  file(STRINGS ${csv} rows)
  list(POP_FRONT rows)
  set(table "")
  foreach(row ${rows})
    if(NOT row MATCHES "^([^,]+),(dirtest|readtest),([0-9]+),[0-9.]+,([0-9]+),[0-9]+$")
      message(FATAL_ERROR "${csv}: not a row: ${row}")
    endif()
    set(system ${CMAKE_MATCH_1})
    set(phase write)
    if(CMAKE_MATCH_2 STREQUAL "readtest")
      set(phase read)
    endif()
    set(numbers "${CMAKE_MATCH_3}u, ${CMAKE_MATCH_4}u")
    list(FIND names ${system} at)
    if(at LESS 0)
      message(FATAL_ERROR "${csv}: no name to ship ${system} by")
    endif()
    math(EXPR at "${at} + 1")
    list(GET names ${at} name)
    string(APPEND table "    {\"${name}\", \"${system}\", \"${phase}\", ${numbers}},\n")
  endforeach()
  list(LENGTH rows n)
  set(source ${CMAKE_BINARY_DIR}/published_2001.c)
  file(CONFIGURE OUTPUT ${source} CONTENT
"#include \"cli/published.h\"

const struct published_row published_row[] = {
@table@};
const unsigned published_rows = @n@;
" @ONLY)
  target_sources(${program} PRIVATE ${source})
endfunction()
