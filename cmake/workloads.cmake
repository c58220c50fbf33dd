# loadline_workloads(program dir)   every dir/*.f and dir/*.suite → two C tables in the program, each under
# its name (src/cli/shipped.h). Byte for byte: no text of a workload has to survive being quoted.
#
# loadline_profiles(library dir)   every dir/*.profile → a table in the library (src/target/sim_shipped_priv.h)

# Sets ${out}_texts to the texts of dir/*.suffix, and ${out}_rows to the rows of their table.
function(loadline_embed dir suffix out)
  file(GLOB files CONFIGURE_DEPENDS RELATIVE ${dir} ${dir}/*.${suffix})
  list(TRANSFORM files REPLACE "[.]${suffix}$" "") # or "a-b.f" would stand before "a.f"
  list(SORT files)
  set(texts "")
  set(rows "")
  foreach(name ${files})
    set(file ${dir}/${name}.${suffix})
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
    file(READ ${file} bytes HEX)
    string(LENGTH "${bytes}" digits)
    math(EXPR length "${digits} / 2")
    string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
    string(MAKE_C_IDENTIFIER ${name}_${suffix} id)
    string(APPEND texts "static const unsigned char ${id}[] = {${bytes}0x00};\n")
    string(APPEND rows "    {\"${name}\", ${id}, ${length}u},\n")
  endforeach()
  set(${out}_texts "${texts}" PARENT_SCOPE)
  set(${out}_rows "${rows}" PARENT_SCOPE)
endfunction()

function(loadline_workloads program dir)
  loadline_embed(${dir} f workload)
  loadline_embed(${dir} suite suite)
  set(source ${CMAKE_BINARY_DIR}/shipped_workloads.c)
  file(CONFIGURE OUTPUT ${source} CONTENT
"#include \"cli/shipped.h\"

@workload_texts@@suite_texts@
/* One more than there are: without any the array would be empty. */
const struct shipped_workload shipped_workload[] = {
@workload_rows@    {0, 0, 0},
};
const unsigned shipped_workloads = sizeof shipped_workload / sizeof shipped_workload[0] - 1;
const struct shipped_workload shipped_suite[] = {
@suite_rows@    {0, 0, 0},
};
const unsigned shipped_suites = sizeof shipped_suite / sizeof shipped_suite[0] - 1;
" @ONLY)
  target_sources(${program} PRIVATE ${source})
endfunction()

function(loadline_profiles library dir)
  loadline_embed(${dir} profile profile)
  set(source ${CMAKE_BINARY_DIR}/shipped_profiles.c)
  file(CONFIGURE OUTPUT ${source} CONTENT
"#include \"target/sim_shipped_priv.h\"

@profile_texts@
const struct sim_shipped_row sim_shipped_row[] = {
@profile_rows@    {0, 0, 0},
};
" @ONLY)
  target_sources(${library} PRIVATE ${source})
endfunction()
