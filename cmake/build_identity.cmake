# Writes the body of croftsim::build_identity(): a digest of the sources in `folder` and of `compiler`, to `output`.
file(GLOB_RECURSE names RELATIVE ${folder} ${folder}/*.cpp ${folder}/*.hpp ${folder}/*.inc)
list(SORT names)
set(all "${compiler}\n")
foreach(name IN LISTS names)
  file(SHA256 ${folder}/${name} digest)
  string(APPEND all "${name} ${digest}\n")
endforeach()
string(SHA256 identity "${all}")
string(SUBSTRING ${identity} 0 16 identity)
file(WRITE ${output} "#include \"base/build_identity.hpp\"

const char* croftsim::build_identity() { return \"${identity}\"; }
")
