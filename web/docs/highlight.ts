import { hash } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createHighlighterCoreSync, type ThemeRegistration } from 'shiki/core'
import { createJavaScriptRegexEngine } from 'shiki/engine/javascript'
import go from 'shiki/langs/go.mjs'
import ini from 'shiki/langs/ini.mjs'
import json from 'shiki/langs/json.mjs'
import nginx from 'shiki/langs/nginx.mjs'
import python from 'shiki/langs/python.mjs'
import sh from 'shiki/langs/shellscript.mjs'
import sql from 'shiki/langs/sql.mjs'
import ts from 'shiki/langs/typescript.mjs'
import yaml from 'shiki/langs/yaml.mjs'
import { escaped } from './html.ts'

/** The kinds of coloured text: k keyword or key, s text, d number or constant, c comment. Other text is plain. */
const scopes: Readonly<Record<'k' | 's' | 'd' | 'c' | 'plain', readonly string[]>> = {
  k: [
    'keyword',
    'storage',
    'support.type.property-name',
    'entity.name.tag.yaml',
    'entity.name.section',
    'keyword.other.definition.ini',
    'punctuation.support.type.property-name',
    'keyword.operator.expression',
    'keyword.operator.new',
    'keyword.operator.logical.python',
  ],
  s: ['string', 'storage.type.string'],
  d: ['constant.numeric', 'constant.language'],
  c: ['comment'],
  plain: [
    'keyword.operator',
    'storage.type.function.arrow',
    'string.unquoted',
    'punctuation.definition.template-expression',
    'meta.embedded',
  ],
}
const kinds = Object.keys(scopes) as (keyof typeof scopes)[]

/** The colours of a theme are style attributes, which the content policy refuses. Here each colour stands for a class. */
const colourOf = (kind: keyof typeof scopes): string => `#00000${kinds.indexOf(kind) + 1}`
const theme: ThemeRegistration = {
  name: 'classes',
  fg: colourOf('plain'),
  bg: '#ffffff',
  settings: kinds.map((kind) => ({ scope: [...scopes[kind]], settings: { foreground: colourOf(kind) } })),
}

const highlighter = createHighlighterCoreSync({
  themes: [theme],
  langs: [go, ini, json, nginx, python, sh, sql, ts, yaml],
  langAlias: { js: 'typescript', caddyfile: 'nginx' },
  engine: createJavaScriptRegexEngine(),
})
const languages = new Set([...highlighter.getLoadedLanguages(), 'js', 'caddyfile'])

const modules = join(import.meta.dirname, '..', '..', 'node_modules')
const cacheFile = join(modules, '.cache', 'quipu-docs', 'highlighted.json')
/** Everything but code and language that the HTML depends on. */
const version = hash(
  'sha256',
  [import.meta.filename, join(modules, 'shiki', 'package.json')]
    .map((file) => readFileSync(file, 'utf8'))
    .join(),
)
/** HTML by code and language. Coloring is half of a build of the documentation, and most blocks stay the same. */
let cache: Readonly<Record<string, string>> | undefined
/** The blocks of this build. */
const used: Record<string, string> = {}

/** Code as HTML with classes for its parts. Unknown languages stay plain. */
export function highlighted(code: string, language: string): string {
  if (!languages.has(language)) return escaped(code)
  cache ??= readCache()
  const key = hash('sha256', [version, language, code].join('\0'), 'base64url')
  used[key] ??= cache[key] ?? colored(code, language)
  return used[key]
}

function colored(code: string, language: string): string {
  const { tokens } = highlighter.codeToTokens(code, {
    lang: language,
    theme: theme.name!,
    // The default stops in a line after half a second: a build on a busy machine would have other colors.
    tokenizeTimeLimit: 0,
  })
  return tokens.map((line) => lineHtml(line)).join('\n')
}

function readCache(): Readonly<Record<string, string>> {
  try {
    return JSON.parse(readFileSync(cacheFile, 'utf8'))
  } catch {
    return {}
  }
}

/** Stores the colored blocks of this build for the next one. */
export function storeHighlighted(): void {
  mkdirSync(dirname(cacheFile), { recursive: true })
  // Another build may read or write at the same time.
  const written = `${cacheFile}-${process.pid}`
  writeFileSync(written, JSON.stringify(used))
  renameSync(written, cacheFile)
}

type Token = { readonly content: string; readonly color?: string }

/** Neighbours of the same kind are one element. */
function lineHtml(line: readonly Token[]): string {
  let [html, open] = ['', 'plain']
  for (const { content, color } of line) {
    const kind = kinds.find((one) => colourOf(one) === color?.toLowerCase()) ?? 'plain'
    // Spaces have no colour.
    const next = content.trim() === '' ? open : kind
    if (next !== open)
      html += (open === 'plain' ? '' : '</span>') + (next === 'plain' ? '' : `<span class="${next}">`)
    html += escaped(content)
    open = next
  }
  return open === 'plain' ? html : `${html}</span>`
}

/** The language of a block that names none: JSON, or a shell command of this product. */
export function guessedLanguage(code: string): string {
  if (/^\s*[[{]/.test(code)) return 'json'
  return /^(?:\$ )?(?:quipu|curl|npm|npx|node|eval|export|docker|podman|pip|export|cd|git)\b/m.test(code)
    ? 'sh'
    : 'text'
}
