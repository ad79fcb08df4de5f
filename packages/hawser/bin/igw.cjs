#!/usr/bin/env node
// `igw`: the same program under the name that hosts of the gateway already know.

require("./hawser.cjs");
