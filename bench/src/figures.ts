import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { orderPath } from './order-path.ts'

/** Prints figures of the source code, so that a change can be compared with the commit before it. */
const root = join(import.meta.dirname, '..', '..')
const files = execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' }).trim().split('\n')
const packages = ['core', 'contract', 'broker', 'server', 'cli', 'sdk']

const isProduct = (file: string): boolean =>
  packages.some((name) => file.startsWith(`${name}/`)) &&
  /\.[jt]sx?$/.test(file) &&
  !/\.spec\.ts$|\/testing\//.test(file)

const texts = new Map(
  files
    .filter((file) => /\.tsx?$/.test(file))
    .map((file) => [file, readFileSync(join(root, file), 'utf8')] as const),
)
const product = files.filter(isProduct)
const linesOf = (names: readonly string[]): number =>
  names.reduce((sum, name) => sum + readFileSync(join(root, name), 'utf8').split('\n').length - 1, 0)

/** Occurrences in the code of the product, without comments, texts and imported names. */
function count(pattern: RegExp): number {
  let sum = 0
  for (const [file, text] of texts)
    if (isProduct(file)) sum += [...withoutComments(text).matchAll(pattern)].length
  return sum
}

const withoutComments = (text: string): string =>
  text
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"/g, "''")
    .replace(/(^|\s)\/\/.*$/gm, '')
    .replace(/^(?:import|export) (?:type )?\{[^}]*\}.*$/gm, '')

const AS = /[\w)\]}'"`>] as (?!const\b)(?=[\w{[(])/g
const NOT_NULL = /[\w)\]]!(?=[.,;:)\]}\s[(])(?!\s*=)/g
const DEFAULT = /^\s*default:/gm
const LOCAL_NAMES = /^(?:type|interface) (?:Query|Step|Parts|Found)\b/gm

/** Exported names of two or more product files. */
function repeatedExports(): number {
  const seen = new Map<string, Set<string>>()
  for (const file of product)
    for (const [, name] of (texts.get(file) ?? '').matchAll(
      /^export (?:async )?(?:const|let|function\*?|class|type|interface|abstract class) (\w+)/gm,
    ))
      seen.set(name!, (seen.get(name!) ?? new Set()).add(file))
  return [...seen.values()].filter(({ size }) => size > 1).length
}

const print = (name: string, value: number | string): void => console.log(`${name.padEnd(44)} ${value}`)
for (const name of packages) {
  const own = product.filter((file) => file.startsWith(`${name}/`))
  if (own.length > 0) print(`lines of ${name} (files)`, `${linesOf(own)} (${own.length})`)
}
print('lines of the product (files)', `${linesOf(product)} (${product.length})`)
for (const name of ['web', 'testing', 'tests', 'bench', 'docs'])
  print(`files of ${name}`, files.filter((file) => file.startsWith(`${name}/`)).length)
print('files of the repository', files.length)
print('casts: as', count(AS))
print('casts: !', count(NOT_NULL))
print('switches with default', count(DEFAULT))
print('local types Query, Step, Parts, Found', count(LOCAL_NAMES))
print('exported names of several files', repeatedExports())
if (!process.argv.includes('--source')) {
  const path = await orderPath()
  print('an order: files', path.files.length)
  print('an order: functions', path.functions)
  if (process.argv.includes('--list')) console.log(path.files.join('\n'))
}
