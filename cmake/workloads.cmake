# loadline_workloads(program dir)   every dir/*.f → a C table in the program, each under its name
# (src/cli/shipped.h). Byte for byte: no text of a workload has to survive being quoted.

function(loadline_workloads program dir)
  file(GLOB files CONFIGURE_DEPENDS RELATIVE ${dir} ${dir}/*.f)
  list(TRANSFORM files REPLACE "[.]f$" "") # or "a-b.f" would stand before "a.f"
  list(SORT files)
  set(texts "")
  set(table "")
  foreach(name ${files})
    set(file ${dir}/${name}.f)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
    file(READ ${file} bytes HEX)
    string(LENGTH "${bytes}" digits)
    math(EXPR length "${digits} / 2")
    string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
    string(MAKE_C_IDENTIFIER ${name} id)
    string(APPEND texts "static const unsigned char ${id}[] = {${bytes}0x00};\n")
    string(APPEND table "    {\"${name}\", ${id}, ${length}u},\n")
  endforeach()
  set(source ${CMAKE_BINARY_DIR}/shipped_workloads.c)
  file(CONFIGURE OUTPUT ${source} CONTENT
"#include \"cli/shipped.h\"

@texts@
/* One more than there are: without any the array would be empty. */
const struct shipped_workload shipped_workload[] = {
@table@    {0, 0, 0},
};
const unsigned shipped_workloads = sizeof shipped_workload / sizeof shipped_workload[0] - 1;
" @ONLY)
  target_sources(${program} PRIVATE ${source})
endfunction()
