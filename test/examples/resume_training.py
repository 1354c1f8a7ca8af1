#!/usr/bin/env python3
"""Stops the Megatron-style trainer and takes it up again: the losses are those
of a run that was not stopped, and a checkpoint that does not fit is refused."""

import pathlib
import shutil
import sys
import tempfile
import unittest
import xml.dom.minidom

import training

PROGRAM = pathlib.Path(sys.argv.pop())
MESH = ["--dp=2", "--tp=2", "--sequence-parallel=1"]


class Resume(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        self.checkpoint = [f"--checkpoint={self.folder}/saved"]

    def train(self, steps, *options, mesh=MESH):
        return training.losses(PROGRAM, self.folder, [*mesh, f"--steps={steps}", *options],
                               timeout=120)

    def refused(self, *options, mesh=MESH):
        with self.assertRaises(training.Failed) as caught:
            self.train(8, *self.checkpoint, "--resume", *options, mesh=mesh)
        return str(caught.exception)

    def shard(self):
        return self.folder / "saved" / "step-6" / "tp1.shard"

    def test_the_losses_are_those_of_one_run(self):
        expected = self.train(12)
        self.train(6, "--checkpoint-every=4", *self.checkpoint)
        self.assertEqual(sorted(p.name for p in (self.folder / "saved").iterdir()),
                         ["latest", "step-6"])
        found = self.train(12, "--resume", *self.checkpoint, f"--plot={self.folder}/plot.svg")
        self.assertEqual(found, expected)
        xml.dom.minidom.parse(str(self.folder / "plot.svg"))

    def test_what_does_not_fit_is_refused(self):
        self.assertIn("there is no checkpoint", self.refused())
        self.train(6, *self.checkpoint)
        self.assertIn("it says 'dp 2', this one has 'dp 1'", self.refused(mesh=["--tp=4"]))
        self.assertIn("it says 'layers 2', this one has 'layers 1'", self.refused("--layers=1"))

        whole = self.shard().read_bytes()
        self.shard().write_bytes(whole[:-100])
        self.assertIn("tp1.shard is damaged: it has", self.refused())
        self.shard().write_bytes(whole[:5000] + b"x" + whole[5001:])
        self.assertIn("tp1.shard is damaged: its checksum is wrong", self.refused())
        self.shard().unlink()
        self.assertIn("cannot read", self.refused())
        self.shard().write_bytes(whole)
        self.train(7, *self.checkpoint, "--resume")

    def test_what_cannot_be_used_is_refused_before_training(self):
        def refusal(*options):
            with self.assertRaises(training.Failed) as caught:
                self.train(1000, *options)
            return str(caught.exception)

        (self.folder / "short.txt").write_text("ab")
        self.assertIn("cannot write /proc/none/loss.svg.part", refusal("--plot=/proc/none/loss.svg"))
        self.assertIn("/none.txt: No such file", refusal(f"--data={self.folder}/none.txt"))
        self.assertIn(": Is a directory", refusal(f"--data={self.folder}"))
        self.assertIn("short.txt has 2 bytes, a sequence of 32 needs 34",
                      refusal(f"--data={self.folder}/short.txt"))
        self.assertIn("not a value of that option: --batch=8x", refusal("--batch=8x"))
        self.assertIn("batch must be at least 1", refusal("--batch=0"))
        self.assertIn("unknown option --help, the options are --backend", refusal("--help"))


if __name__ == "__main__":
    unittest.main()
