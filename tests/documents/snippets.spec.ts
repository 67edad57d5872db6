import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { promisify } from 'node:util'

const root = join(import.meta.dirname, '..', '..')
// Beside the programs of the tests, so that the imports of the snippets are found.
const folder = join(import.meta.dirname, `.snippets-${process.pid}`)
after(() => rmSync(folder, { recursive: true, force: true }))

const pages = ['README.md', 'sdk/README.md', 'testing/README.md', ...globSync('docs/**/*.md', { cwd: root })]

/** Writes the snippets of the pages, one file each. */
function written(): readonly string[] {
  mkdirSync(folder)
  const files = pages.flatMap((page) =>
    [...readFileSync(join(root, page), 'utf8').matchAll(/^```ts\n(.*?)^```/gms)].map(([, text], index) => {
      const file = `${page.replaceAll(/\W/g, '-')}-${index + 1}.ts`
      // Each is a module of its own.
      writeFileSync(join(folder, file), `${text}\nexport {}\n`)
      return file
    }),
  )
  const compilerOptions = { types: ['node'], noUnusedLocals: false }
  const config = { extends: '../../../tsconfig.base.json', compilerOptions, files }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config))
  return files
}

test('each TypeScript snippet of the documentation is a whole program that compiles under --strict', async () => {
  const files = written()
  assert.ok(files.length > 10, files.join())
  const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc')
  const compiled = promisify(execFile)(process.execPath, [compiler, '-p', folder])
  const { stdout } = await compiled.catch((error: { stdout: string }) => error)
  assert.equal(stdout, '')
})
