import { escaped } from './html.ts'

/** The kinds of coloured text: k keyword or key, s text, d number or constant, c comment. */
type Kind = 'k' | 's' | 'd' | 'c'

const words = (list: string): string => `\\b(?:${list.replaceAll(' ', '|')})\\b`
const doubleQuoted = '"(?:[^"\\\\\\n]|\\\\.)*"'
const singleQuoted = "'(?:[^'\\\\\\n]|\\\\.)*'"
const quoted = `${doubleQuoted}|${singleQuoted}`
const number = '\\b\\d[\\d_]*(?:\\.\\d+)?(?:e[+-]?\\d+)?\\b'
const hashComment = '(?<=^|\\s)#.*$'

const script = words(
  'import from export default const let var function return await async for of in if else new throw try catch finally while break continue class extends typeof instanceof',
)
const python = words(
  'import from as def return for in if elif else not and or with while class lambda try except raise yield async await assert pass break continue',
)
const go = words('package import func return var const type struct if else for range defer go map')
const sql = words(
  'SELECT FROM WHERE INSERT UPDATE DELETE CREATE TABLE INTO VALUES SET AND OR NOT AS ORDER BY LIMIT',
)

/** The parts of each language, in the order in which they are tried. */
const grammars: Readonly<Record<string, readonly (readonly [Kind, string])[]>> = {
  json: [
    ['k', `${doubleQuoted}(?=\\s*:)`],
    ['s', doubleQuoted],
    ['d', `-?${number}|${words('true false null')}`],
  ],
  sh: [
    ['c', hashComment],
    ['s', `"(?:[^"\\\\]|\\\\[\\s\\S])*"|'[^']*'`],
  ],
  ts: [
    ['c', '//.*$|/\\*[\\s\\S]*?\\*/'],
    ['s', `${quoted}|\`(?:[^\`\\\\]|\\\\.)*\``],
    ['k', script],
    ['d', `${number}|${words('true false null undefined')}`],
  ],
  python: [
    ['c', hashComment],
    ['s', `"""[\\s\\S]*?"""|f?(?:${quoted})`],
    ['k', python],
    ['d', `${number}|${words('True False None')}`],
  ],
  go: [
    ['c', '//.*$'],
    ['s', `${doubleQuoted}|\`[^\`]*\``],
    ['k', go],
    ['d', number],
  ],
  sql: [
    ['c', '--.*$'],
    ['s', singleQuoted],
    ['k', sql],
    ['d', number],
  ],
  yaml: [
    ['c', hashComment],
    ['k', '(?<=^[ \\t-]*)[\\w.$-]+(?=:(?:\\s|$))'],
    ['s', quoted],
    ['d', `(?<=[\\s:\\[,{])(?:${number}|${words('true false null')})(?=[\\s,\\]}]|$)`],
  ],
  ini: [
    ['c', '^[#;].*$'],
    ['k', '^\\[.*\\]$|^[\\w.-]+(?==)'],
  ],
  nginx: [
    ['c', hashComment],
    ['s', quoted],
  ],
}

const aliases: Readonly<Record<string, string>> = {
  bash: 'sh',
  shell: 'sh',
  js: 'ts',
  py: 'python',
  yml: 'yaml',
  caddyfile: 'nginx',
}

/** Code as HTML with classes for its parts. Unknown languages stay plain. */
export function highlighted(code: string, language: string): string {
  const grammar = grammars[aliases[language] ?? language]
  if (grammar === undefined) return escaped(code)
  const pattern = new RegExp(grammar.map(([, part]) => `(${part})`).join('|'), 'gm')
  let html = ''
  let end = 0
  for (const match of code.matchAll(pattern)) {
    const kind = grammar[match.slice(1).findIndex((part) => part !== undefined)]![0]
    html += `${escaped(code.slice(end, match.index))}<span class="${kind}">${escaped(match[0])}</span>`
    end = match.index + match[0].length
  }
  return html + escaped(code.slice(end))
}

/** The language of a block that names none: JSON, or a shell command of this product. */
export function guessedLanguage(code: string): string {
  if (/^\s*[[{]/.test(code)) return 'json'
  return /^(?:\$ )?(?:quipu|curl|npm|npx|node|eval|export|docker|podman|pip|export|cd|git)\b/m.test(code)
    ? 'sh'
    : 'text'
}
