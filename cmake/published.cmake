# loadline_published(program csv SYSTEM name …)   the rows of csv → a C table in the program, each
# system of it under the name that it is shipped by (src/cli/published.h)

function(loadline_published program csv)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${csv})
  set(names ${ARGN})
  file(STRINGS ${csv} rows)
  list(POP_FRONT rows)
  set(table "")
  foreach(row ${rows})
    if(NOT row MATCHES "^([^,]+),(dirtest|readtest),([0-9]+),([0-9.]+),([0-9]+),([0-9]+)$")
      message(FATAL_ERROR "${csv}: not a row: ${row}")
    endif()
    set(system ${CMAKE_MATCH_1})
    set(phase write)
    if(CMAKE_MATCH_2 STREQUAL "readtest")
      set(phase read)
    endif()
    set(numbers "${CMAKE_MATCH_3}u, ${CMAKE_MATCH_5}u, \"${CMAKE_MATCH_4}\", ${CMAKE_MATCH_6}u")
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

# loadline_published_limits(target csv SYSTEM …)   the ceilings of csv → a C table in a library, two columns a system
# (src/report/limits_published.h)

function(loadline_published_limits target csv)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${csv})
  set(number "([0-9.]*),([0-9.]*)")
  file(STRINGS ${csv} rows)
  list(POP_FRONT rows)
  set(table "")
  set(n 0)
  foreach(row ${rows})
    if(NOT row MATCHES "^[^,]+,([a-z-]+),(read|write),([0-9]*),([a-z]+),([A-Za-z/]+),${number},${number},[a-z]+$")
      message(FATAL_ERROR "${csv}: not a row: ${row}")
    endif()
    set(low_0 "${CMAKE_MATCH_6}")
    set(high_0 "${CMAKE_MATCH_7}")
    set(low_1 "${CMAKE_MATCH_8}")
    set(high_1 "${CMAKE_MATCH_9}")
    set(io_bytes "${CMAKE_MATCH_3}")
    if(io_bytes STREQUAL "")
      set(io_bytes 0)
    endif()
    set(what "\"${CMAKE_MATCH_1}\", \"${CMAKE_MATCH_2}\", ${io_bytes}, \"${CMAKE_MATCH_4}\", \"${CMAKE_MATCH_5}\"")
    set(about false)
    if(row MATCHES ",yes$")
      set(about true)
    endif()
    foreach(i 0 1)
      list(GET ARGN ${i} system)
      if(NOT low_${i} STREQUAL "")
        string(APPEND table "    {\"${system}\", ${what}, ${low_${i}}, ${high_${i}}, ${about}},\n")
        math(EXPR n "${n} + 1")
      endif()
    endforeach()
  endforeach()
  set(source ${CMAKE_BINARY_DIR}/published_limits.c)
  file(CONFIGURE OUTPUT ${source} CONTENT
"#include \"report/limits_published.h\"

const struct limits_shipped_row limits_shipped_row[] = {
@table@};
const unsigned limits_shipped_rows = @n@;
" @ONLY)
  target_sources(${target} PRIVATE ${source})
endfunction()
