#!/usr/bin/env python3
"""Checks a report against what SARIF 2.1.0 requires of the parts that we write.

The schema is not packaged; these are its required properties, the values that it
allows, and what it says of links between parts of a report. Where SPMD_SARIF_SCHEMA
names the schema's file, and Python has jsonschema, reports are held against all of it.
"""

import json
import os
import sys

LEVELS = {"none", "note", "warning", "error"}


def require(place, value, kind, *keys):
    if not isinstance(value, kind):
        sys.exit(f"{place}: expected {kind.__name__}, found {value!r}")
    for key in keys:
        if key not in value:
            sys.exit(f"{place}: no '{key}'")
    return value


def known(place, value, *keys):
    if extra := set(value) - set(keys):
        sys.exit(f"{place}: the schema knows no {sorted(extra)}")


def message(place, value):
    require(place, require(place, value, dict, "text")["text"], str)


def artifact(place, value, bases):
    require(place, require(place, value, dict, "uri")["uri"], str)
    known(place, value, "uri", "uriBaseId")
    if "uriBaseId" in value:
        assert value["uriBaseId"] in bases, place
        assert not value["uri"].startswith("/"), place
    else:
        assert value["uri"].startswith("file:///"), place


def region(place, value):
    known(place, value, "startLine", "startColumn", "endLine", "endColumn", "byteOffset", "byteLength")
    for key, number in value.items():
        least = 0 if key.startswith("byte") else 1
        assert isinstance(number, int) and number >= least, f"{place}.{key}: {number}"


def location(place, value, bases):
    known(place, value, "id", "physicalLocation", "message")
    physical = require(place, value, dict, "physicalLocation")["physicalLocation"]
    known(place, physical, "artifactLocation", "region")
    artifact(place, require(place, physical, dict, "artifactLocation")["artifactLocation"], bases)
    region(place, physical.get("region", {}))
    if "message" in value:
        message(place, value["message"])


def result(place, value, rules, bases):
    known(place, value, "ruleId", "level", "message", "locations", "relatedLocations", "fixes",
          "partialFingerprints", "baselineState")
    require(place, value, dict, "message", "ruleId")
    assert value["ruleId"] in rules, place
    assert value["level"] in LEVELS, place
    message(place, value["message"])
    for where in value["locations"] + value.get("relatedLocations", []):
        location(place, where, bases)
    for name, text in value["partialFingerprints"].items():
        assert isinstance(name, str) and isinstance(text, str), place
    for fix in value.get("fixes", []):
        known(place, fix, "description", "artifactChanges")
        assert require(place, fix, dict, "artifactChanges")["artifactChanges"], place
        for change in fix["artifactChanges"]:
            require(place, change, dict, "artifactLocation", "replacements")
            artifact(place, change["artifactLocation"], bases)
            assert change["replacements"], place
            for replacement in change["replacements"]:
                require(place, replacement, dict, "deletedRegion")
                region(place, replacement["deletedRegion"])
                message(place, replacement["insertedContent"])


def validate(log, schema):
    from jsonschema import Draft4Validator
    with open(schema) as file:
        for mistake in Draft4Validator(json.load(file)).iter_errors(log):
            sys.exit(f"{'.'.join(map(str, mistake.absolute_path))}: {mistake.message}")


def main(path):
    with open(path) as file:
        log = require("log", json.load(file), dict, "version", "runs")
    if schema := os.environ.get("SPMD_SARIF_SCHEMA"):
        validate(log, schema)
    known("log", log, "$schema", "version", "runs")
    assert log["version"] == "2.1.0"
    for run in require("runs", log["runs"], list):
        known("run", run, "tool", "columnKind", "invocations", "originalUriBaseIds", "results",
              "properties")
        driver = require("tool", require("run", run, dict, "tool")["tool"], dict, "driver")["driver"]
        require("driver", driver, dict, "name")
        known("driver", driver, "name", "version", "semanticVersion", "rules")
        rules = set()
        for rule in driver["rules"]:
            require("rule", rule, dict, "id")
            known("rule", rule, "id", "shortDescription", "help", "helpUri", "defaultConfiguration")
            message("rule", rule["shortDescription"])
            message("rule", rule["help"])
            assert rule["defaultConfiguration"]["level"] in LEVELS
            assert rule["id"] not in rules, "a rule twice"
            rules.add(rule["id"])
        bases = run["originalUriBaseIds"]
        for base in bases.values():
            assert base["uri"].endswith("/"), "a base must end in a slash"
        for invocation in run["invocations"]:
            require("invocation", invocation, dict, "executionSuccessful")
            known("invocation", invocation, "executionSuccessful", "toolExecutionNotifications",
                  "workingDirectory")
            for note in invocation["toolExecutionNotifications"]:
                require("notification", note, dict, "message")
                assert note["level"] in LEVELS
                message("notification", note["message"])
                for where in note["locations"]:
                    location("notification", where, bases)
        for number, one in enumerate(run["results"]):
            result(f"result {number}", one, rules, bases)


if __name__ == "__main__":
    main(sys.argv[1])
