#!/usr/bin/env node
require("./run")("spmd-clangd");
