#!/usr/bin/env node
require("./run")("spmd-tidy");
