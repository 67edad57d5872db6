import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, relative } from 'node:path'
import { after, test } from 'node:test'
import { build } from 'esbuild'
import { mergeChunks } from './merge-chunks.ts'

const folder = mkdtempSync(join(tmpdir(), 'quipu-merge-'))
after(() => rmSync(folder, { recursive: true, force: true }))

/** Two modules have an export of the same name; a third is loaded by one program only. */
const sources: Readonly<Record<string, string>> = {
  'counter.ts': 'export let value = 1; export function add() { value += 1 }',
  'price.ts': 'export const value = 10; console.log("price")',
  'rare.ts': 'export const rare = 100; console.log("rare")',
  'first.ts':
    'import { add, value } from "./counter.ts"; import { value as price } from "./price.ts"; add(); console.log(value + price); await import("./late.ts")',
  'second.ts':
    'import { value } from "./counter.ts"; import { value as price } from "./price.ts"; import { rare } from "./rare.ts"; console.log(value + price + rare)',
  'third.ts': 'import { value } from "./price.ts"; console.log(value)',
  'late.ts':
    'import { value } from "./counter.ts"; import { rare } from "./rare.ts"; import { value as price } from "./price.ts"; console.log(value + rare + price)',
}

test('merged chunks keep their exports, their order and what a program does not load', async () => {
  for (const [name, text] of Object.entries(sources)) writeFileSync(join(folder, name), text)
  const [first, second, third] = ['first.ts', 'second.ts', 'third.ts'].map((name) => join(folder, name))
  const out = join(folder, 'out')
  const { metafile, outputFiles } = await build({
    entryPoints: [first!, second!, third!],
    outdir: out,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    metafile: true,
    write: false,
  })
  const together = [first!, second!].map((file) => [relative(process.cwd(), file)])
  await mergeChunks(out, { files: outputFiles, metafile }, together, {})
  const unmerged = join(folder, 'unmerged')
  mkdirSync(unmerged)
  for (const { path, text } of outputFiles) writeFileSync(join(unmerged, basename(path)), text)
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  const run = (file: string) => execFileSync(process.execPath, [file], { encoding: 'utf8' })
  for (const [name, printed] of [
    ['first.js', /^price\n12\nrare\n112\n$/],
    ['second.js', /^(price\nrare|rare\nprice)\n111\n$/],
    ['third.js', /^price\n10\n$/],
  ] as const) {
    assert.match(run(join(out, name)), printed)
    assert.equal(run(join(out, name)), run(join(unmerged, name)))
  }
  assert.ok(readdirSync(out).length < outputFiles.length, readdirSync(out).join())
})
