import assert from 'node:assert/strict'
import { globSync } from 'node:fs'
import { sep } from 'node:path'
import { test } from 'node:test'
import { root, textOf } from './sources.ts'
import { type ReplacedWord, replacedWords } from './words.table.ts'

type Hit = { readonly file: string; readonly line: number; readonly word: string }

/** The changelog and the stored releases describe the past; tests/architecture/words.* lists every replaced word. */
const EXCLUDED =
  /(^|\/)(node_modules|\.git)\/|^CHANGELOG\.md$|^tests\/releases\/\d|^tests\/architecture\/words\./

const files = globSync('**/*.{ts,js,md}', {
  cwd: root,
  exclude: (path) => /(^|[\\/])(node_modules|\.git|dist)$/.test(path),
})
  .map((path) => path.split(sep).join('/'))
  .filter((file) => !EXCLUDED.test(file))
  .sort()

const exportedName = /^export (?:default )?(?:async )?(?:const|let|function\*?|class|type|interface) (\w+)/
const field = /^\s+(\w+): /
const nameWords = patternOf('in names')
const everyWord = patternOf('everywhere')
const hits = files.flatMap((file) => [...nameHits(file), ...textHits(file)])

test('files use no replaced word', () => {
  const lines = hits.map(
    ({ file, line, word }) =>
      `${file}:${line} ${word}: use ${wordOf(word).use} (tests/architecture/words.table.ts)`,
  )
  assert.deepEqual(lines, [])
})

/** Replaced words in the path, in exported names and in fields of the API. */
function nameHits(file: string): Hit[] {
  const found = hitsIn(file.replace(/\.\w+$/, ''), nameWords).map((word) => ({ file, line: 0, word }))
  if (!file.endsWith('.ts')) return found
  for (const [index, text] of textOf(file).split('\n').entries()) {
    const name = exportedName.exec(text)?.[1] ?? (isApi(file) ? field.exec(text)?.[1] : undefined)
    if (name) for (const word of hitsIn(name, nameWords)) found.push({ file, line: index + 1, word })
  }
  return found
}

function textHits(file: string): Hit[] {
  const text = textOf(file)
  if (!everyWord.test(text)) return []
  return text
    .split('\n')
    .flatMap((line, index) => hitsIn(line, everyWord).map((word) => ({ file, line: index + 1, word })))
}

function isApi(file: string): boolean {
  return file.startsWith('contract/src/operations/')
}

/** Whole words, and the parts of camelCase, snake_case and CONSTANT_CASE names. */
function patternOf(refused: ReplacedWord['refused']): RegExp {
  const words = replacedWords.filter((each) => each.refused === refused).map(({ word }) => word)
  const capital = words.map((word) => word[0]!.toUpperCase() + word.slice(1))
  const upper = words.map((word) => word.toUpperCase())
  return new RegExp(
    `(?<![A-Za-z])(?:${words.join('|')})(?![a-z])|(?:${capital.join('|')})(?![a-z])|(?<![A-Z])(?:${upper.join('|')})(?![A-Za-z])`,
  )
}

function hitsIn(text: string, pattern: RegExp): string[] {
  return Array.from(text.matchAll(new RegExp(pattern, 'g')), ([word]) => word.toLowerCase())
}

function wordOf(word: string): ReplacedWord {
  return replacedWords.find((each) => each.word === word)!
}
