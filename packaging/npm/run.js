// The programs lie in one package for each platform, of which npm installs the
// one that fits: nothing is downloaded later.
const { spawn } = require("child_process");
const os = require("os");

const platform = `${process.platform}-${process.arch}`;

function find(program) {
  try {
    return require.resolve(`@spmd-tidy/${platform}/bin/${program}`);
  } catch {
    console.error(
      platform === "linux-x64"
        ? `${program}: the package @spmd-tidy/${platform} is missing: install without --omit=optional`
        : `${program}: there is no package for ${platform}, only for linux-x64`,
    );
    process.exit(2);
  }
}

module.exports = (program) => {
  const child = spawn(find(program), process.argv.slice(2), { stdio: "inherit" });
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"];
  for (const signal of signals) process.on(signal, () => child.kill(signal));
  child.on("error", (problem) => {
    console.error(`${program}: ${problem.message}`);
    process.exit(2);
  });
  child.on("exit", (code, signal) => {
    process.exit(signal ? 128 + os.constants.signals[signal] : code);
  });
};
