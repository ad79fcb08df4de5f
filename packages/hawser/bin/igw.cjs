#!/usr/bin/env node
// `igw`: the same program under the name that hosts of the gateway already know.

module.exports = require("./hawser.cjs");
