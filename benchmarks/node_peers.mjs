// What does it take a package of npm to have a value after every fragment of a stream?
//
// Reads one question as JSON on standard input, writes the answer as JSON on standard output.
// Packages are looked up on NODE_PATH. Times itself; like measure.py, it runs under a limit and,
// for a package that parses everything again on each fragment, falls back on prefixes spread
// evenly over the stream.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, delimiter } from "node:path";
import { pathToFileURL } from "node:url";

class TooSlow extends Error {}

const question = JSON.parse(readFileSync(0, "utf8"));
const { manifest, api } = await load(question.package);

const parsers = {
  "partial-json": { reparses: true, stream: reparse, partial },
  jsonriver: { reparses: false, stream: river },
};

if (question.command === "version") {
  answer({ version: manifest.version, node: process.versions.node });
} else {
  answer(await cost(parsers[question.package], question.pieces, question.limit));
}

function answer(value) {
  process.stdout.write(JSON.stringify(value));
}

async function load(name) {
  const require = createRequire(import.meta.url);
  for (const root of (process.env.NODE_PATH ?? "").split(delimiter).filter(Boolean)) {
    const folder = join(root, name);
    let manifest;
    try {
      manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    } catch {
      continue;
    }
    const entry = join(folder, manifest.main);
    const api = manifest.type === "module" ? await import(pathToFileURL(entry)) : require(entry);
    return { manifest, api };
  }
  throw new Error(`${name} is not on NODE_PATH`);
}

function now() {
  return Number(process.hrtime.bigint()) / 1e9;
}

function partial(text) {
  try {
    return api.parse(text);
  } catch {
    return undefined; // nothing to show yet
  }
}

async function reparse(pieces, deadline) {
  let text = "";
  let value;
  for (const [number, piece] of pieces.entries()) {
    if (number % 16 === 0 && now() > deadline) throw new TooSlow();
    text += piece;
    value = partial(text);
  }
  return value;
}

async function river(pieces, deadline) {
  async function* source() {
    for (const [number, piece] of pieces.entries()) {
      if (number % 16 === 0 && now() > deadline) throw new TooSlow();
      yield piece;
    }
  }
  let value;
  for await (value of api.parse(source()));
  return value;
}

async function cost(parser, pieces, limit) {
  const warm = pieces.slice(0, 200);
  for (let turn = 0; turn < 20; turn++) {
    try {
      await parser.stream(warm, now() + limit / 20);
    } catch {
      // a stream cut short may end in an error; only the compiler was to be warmed
    }
  }
  let seconds = Infinity;
  const stop = now() + limit;
  for (let turn = 0; turn < 200 && (turn === 0 || now() + seconds < stop); turn++) {
    const start = now();
    try {
      await parser.stream(pieces, start + limit);
    } catch (error) {
      if (!(error instanceof TooSlow)) throw error;
      const spent = now() - start;
      return parser.reparses ? sampled(parser, pieces, limit) : { seconds: spent, how: "at least" };
    }
    seconds = Math.min(seconds, now() - start);
  }
  return { seconds, how: "measured" };
}

function sampled(parser, pieces, limit) {
  const text = pieces.join("");
  const ends = [];
  let end = 0;
  for (const piece of pieces) ends.push((end += piece.length));
  let total = 0;
  let count = 0;
  const start = now();
  while (count < 8 || (now() - start < limit && count < ends.length)) {
    const prefix = text.slice(0, ends[Math.floor(spread(count) * ends.length)]);
    const before = now();
    parser.partial(prefix);
    total += now() - before;
    count += 1;
  }
  return { seconds: (total / count) * ends.length, how: "sampled" };
}

function spread(number) {
  let value = 0;
  let step = 0.5;
  for (number += 1; number > 0; number = Math.floor(number / 2)) {
    value += (number % 2) * step;
    step /= 2;
  }
  return value;
}
