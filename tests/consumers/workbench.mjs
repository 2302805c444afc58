// The customers' machine, which `cargo xtask test --only consumers` prepares: npm projects with their packages and ours installed.

import { execFile, spawn } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';

/** How long a server may take to start, in seconds. */
const PATIENCE = 300;

/** A path of the customers' machine: below `app` (copied from here) or `recipes` (copied from `wasm/recipes`). */
export const at = (...path) => join(process.env.TEXTVEIL_CONSUMERS, ...path);

/** Turns off the telemetry of the tools. No tool may behave as if it were one of these tests. */
const ENVIRONMENT = { ...process.env, DO_NOT_TRACK: '1', NEXT_TELEMETRY_DISABLED: '1', DENO_NO_UPDATE_CHECK: '1', NO_COLOR: '1', NODE_TEST_CONTEXT: undefined };

/** Runs a program in a project and returns what it wrote to its standard output. Its failure quotes all that it said. */
export async function program(project, file, ...args) {
  try {
    const { stdout } = await promisify(execFile)(file, args, { cwd: at(project), env: ENVIRONMENT, maxBuffer: 1 << 26 });
    return stdout;
  } catch (error) {
    throw new Error(`${file} ${args.join(' ')}\n${error.stdout}\n${error.stderr}`);
  }
}

/** Runs a JavaScript tool that the project has installed. */
export const tool = (project, path, ...args) => program(project, process.execPath, join('node_modules', path), ...args);

/** Starts a development server that the project has installed, and waits until it says where it is. */
export async function started(project, path, ...args) {
  const server = spawn(process.execPath, [join('node_modules', path), ...args], { cwd: at(project), env: ENVIRONMENT });
  const ended = new Promise((resolve) => server.once('exit', resolve));
  let said = '';
  const site = new Promise((resolve, reject) => {
    for (const stream of [server.stdout, server.stderr]) {
      stream.on('data', (data) => {
        said += data;
        const [address] = said.match(/http:\/\/127\.0\.0\.1:\d+\//) ?? [];
        if (address) resolve(address);
      });
    }
    void ended.then(() => reject(new Error(`${path} ended: ${said}`)));
    void wait(PATIENCE * 1000, undefined, { ref: false }).then(() => reject(new Error(`${path} has not said where it is: ${said}`)));
  });
  const stop = () => {
    server.kill();
    return ended;
  };
  try {
    return { site: await site, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** A program that npm delivers in a package of its own for each platform: the one for this platform. */
export function executable(scope, name) {
  const packages = at('app/node_modules', scope);
  const candidates = readdirSync(packages).map((folder) => join(packages, folder, process.platform === 'win32' ? `${name}.exe` : name));
  return candidates.find((file) => existsSync(file));
}
