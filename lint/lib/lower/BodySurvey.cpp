//===- BodySurvey.cpp - What is found in a body beforehand ----------------===//

#include "BodySurvey.h"

#include "BufferParts.h"

namespace spmd::lint::lower {

const BufferParts &BodySurvey::parts() const {
  if (!Parts)
    Parts = std::make_shared<const BufferParts>(FD, constancy());
  return *Parts;
}

} // namespace spmd::lint::lower
