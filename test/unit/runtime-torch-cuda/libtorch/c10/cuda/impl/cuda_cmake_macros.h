// A libtorch with CUDA has this header: so ours are compiled as for that one.
#pragma once
