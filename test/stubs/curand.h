// Stand-in for the host interface of cuRAND.
#ifndef STUBS_CURAND_H
#define STUBS_CURAND_H

#include <stddef.h>

typedef struct curandGenerator_st *curandGenerator_t;
enum curandRngType { CURAND_RNG_PSEUDO_DEFAULT = 100 };
typedef int curandStatus_t;

curandStatus_t curandCreateGenerator(curandGenerator_t *generator,
                                     enum curandRngType type);
curandStatus_t curandSetPseudoRandomGeneratorSeed(curandGenerator_t generator,
                                                  unsigned long long seed);
curandStatus_t curandGenerateUniform(curandGenerator_t generator, float *out,
                                     size_t n);
curandStatus_t curandGenerateNormal(curandGenerator_t generator, float *out,
                                    size_t n, float mean, float stddev);

#endif
