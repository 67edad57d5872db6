import { inEachFile, type RepositoryFile, type Rule } from '../rule.ts'
import { type ReplacedWord, replacedWords } from '../words.table.ts'

const exportedName = /^export (?:default )?(?:async )?(?:const|let|function\*?|class|type|interface) (\w+)/
const field = /^\s+(\w+): /
const nameWords = patternOf('in names')
const everyWord = patternOf('everywhere')

const noReplacedWords: Rule = {
  name: 'files use no replaced word',
  // The changelog and the stored releases describe the past; the table and this rule list the words.
  covers: (path) =>
    /\.(ts|js|md)$/.test(path) &&
    !/^CHANGELOG\.md$|^tests\/releases\/\d|^tests\/architecture\/(words\.table|rules\/words)\.ts$/.test(path),
  violations: inEachFile((file) =>
    [...nameHits(file), ...textHits(file)].map(
      ([line, word]) => `${line} ${word}: use ${replacedWords.find((each) => each.word === word)!.use}`,
    ),
  ),
  planted: [
    {
      files: {
        'core/src/planted.ts': '// To furnish is refused.\nexport const houseName = 1\nconst houseNumber = 2',
        'contract/src/operations/planted.ts': '  house_number: text(),',
      },
      refused: [
        'core/src/planted.ts: 2 house: use architecture',
        'core/src/planted.ts: 1 furnish: use bootstrap',
        'contract/src/operations/planted.ts: 1 house: use architecture',
      ],
    },
    {
      files: { 'core/src/moody.ts': '' },
      refused: ['core/src/moody.ts: 0 moody: use unreliable'],
    },
  ],
}

/** A line and its word. */
type Hit = readonly [number, string]

/** Replaced words in the path, in exported names and in fields of the API. */
function nameHits({ path, text }: RepositoryFile): Hit[] {
  const found: Hit[] = hitsIn(path.replace(/\.\w+$/, ''), nameWords).map((word) => [0, word])
  if (!path.endsWith('.ts')) return found
  const isApi = path.startsWith('contract/src/operations/')
  for (const [index, line] of text.split('\n').entries()) {
    const name = exportedName.exec(line)?.[1] ?? (isApi ? field.exec(line)?.[1] : undefined)
    if (name) for (const word of hitsIn(name, nameWords)) found.push([index + 1, word])
  }
  return found
}

function textHits({ text }: RepositoryFile): Hit[] {
  if (!everyWord.test(text)) return []
  return text
    .split('\n')
    .flatMap((line, index) => hitsIn(line, everyWord).map((word): Hit => [index + 1, word]))
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

export const rules: readonly Rule[] = [noReplacedWords]
