# Script mode: cmake -D INPUT=x.cu -D OUTPUT=x.cpp -P rewrite_launches.cmake
# C++ has no `kernel<<<grid, block, shared, stream>>>(`; what a host compiler
# reads instead is `launch(kernel, grid, block, shared, stream)(`.

file(READ "${INPUT}" text)
string(REGEX REPLACE "([A-Za-z_0-9]+)<<<([^<>]*)>>>" "launch(\\1, \\2)" text "${text}")
if(text MATCHES "<<<")
  message(FATAL_ERROR "${INPUT} has a launch that is not understood")
endif()
# Messages and debuggers name the source.
file(WRITE "${OUTPUT}" "#line 1 \"${INPUT}\"\n${text}")
