import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { settings } from '@quipu/server/config/settings.table.ts'
import { API, type Program } from 'typescript/unstable/sync'
import { isProduct, root, sources, textOf } from './sources.ts'

/** What a step of a recipe adds below a line of a file. */
type Change = readonly [file: string, line: string, added: string]

const events = ['request', 'connection', 'message', 'subscription', 'authentication', 'market', 'call']

/** The first step of each recipe, with an example. */
const firstSteps: Readonly<Record<string, readonly Change[]>> = {
  'Add a fault kind': [
    [
      'contract/src/operations/sim/fault-kinds.table.ts',
      'export const faultKinds = {',
      events.map((on) => `recipe_${on}: { on: '${on}', fields: ['recipe_field'], about: '' },`).join('\n'),
    ],
    [
      'contract/src/operations/sim/fault-fields.ts',
      'export const effectFields = {',
      'recipe_field: optional(bool()),',
    ],
  ],
  'Add an order kind': [
    [
      'core/src/orders/kinds.ts',
      'export const orderKinds = {',
      `recipeKind: { prices: ['limit'], trigger: 'none', times: { shares: ['day'], pairs: [] }, replaceable: [],
        groups: [], mayBeFractional: true, mayTradeExtended: false, isWashExempt: false },`,
    ],
    [
      'contract/src/operations/trading/order-types.ts',
      'export const orderTypes = {',
      "recipe_kind: { label: '', prices: ['limit_price'], times: ['day'], extendedHours: false },",
    ],
  ],
  'Add a field of the order': [
    ['core/src/orders/order.ts', 'export const orderSchema = record({', 'recipeTerm: optional(id()),'],
    ['core/src/orders/commands.ts', '  placeOrder: {', 'readonly recipeTerm?: string'],
    ['contract/src/operations/trading/order-record.ts', 'const fields = {', 'recipe_term: nullable(text()),'],
    [
      'contract/src/operations/trading/orders.ts',
      'export const PlaceOrderShape = record({',
      'recipe_term: optional(text()),',
    ],
  ],
  'Add an operation': [
    [
      'contract/src/operations/sim/faults.ts',
      'export const faults = {',
      "recipeOperation: operation('POST /sim/v1/recipe', operatorOnly, { summary: '' }),",
    ],
  ],
  'Add a setting': [
    ['server/src/config/settings.table.ts', 'export const settings = {', "recipeMax: limit('', [0, 1], 1),"],
  ],
}

/** Words in files that could need a change too. */
const words: Readonly<Record<string, RegExp>> = {
  'Add an order kind': /\b(OrderKind|OrderType|order(Kind|Type)(s|Names)|kindOf)\b/,
  'Add a field of the order':
    /\b(PlaceOrder|PlaceOrderShape|PlaceOrderRecord|OrderRecord|OrderBody|orderSchema)\b/,
}
const filesWith = (title: string): readonly string[] =>
  sources.filter((file) => isProduct(file) && words[title]!.test(textOf(file)))

/** The files that a step of a recipe in CONTRIBUTING.md names. */
function filesOf(title: string, step: number): readonly string[] {
  const page = textOf('CONTRIBUTING.md').replaceAll('<family>', 'sim').replaceAll('<noun>', 'faults')
  const recipe = page.split(/^##+ /m).find((section) => section.startsWith(`${title}\n`)) ?? ''
  const text = recipe.split(/^(?=\d\. )/m).find((part) => part.startsWith(`${step}. `)) ?? ''
  return [...text.matchAll(/`([\w-]+(?:\/[\w.-]+)+\.tsx?)`/g)].flatMap(([, file]) => file ?? [])
}

const titles = Object.keys(firstSteps)
const named = titles.flatMap((title) => filesOf(title, 2).map((file) => [title, file] as const))
const PROBE = 'server/src/config/recipe.ts'
const probe = `import type { Config } from './config.ts'
export const read = ({ recipeMax }: Config): number => recipeMax
`

let api: API
let program: Program

/** One program has all examples, and only the files that recipes name are checked: 3 CPU seconds instead of 13. */
before(() => {
  const config = join(root, 'tsconfig.recipes.json')
  const compilerOptions = { types: ['node'], lib: ['ES2024', 'ESNext.Disposable', 'DOM'] }
  const files = [PROBE, ...named.map(([, file]) => file), ...Object.keys(words).flatMap(filesWith)]
  const texts = new Map([
    [config, JSON.stringify({ extends: './tsconfig.base.json', compilerOptions, files })],
    [join(root, PROBE), probe],
    ...Object.values(firstSteps)
      .flat()
      .map(
        ([file, line, added]) => [join(root, file), textOf(file).replace(line, `${line}\n${added}`)] as const,
      ),
  ])
  const readFile = (file: string) => texts.get(file)
  api = new API({ cwd: root, fs: { readFile, fileExists: (file) => texts.has(file) || undefined } })
  program = api.updateSnapshot({ openProjects: [config] }).getProject(config)!.program
})
after(() => api.close())

const problemsOf = (file: string): string => JSON.stringify(program.getSemanticDiagnostics(join(root, file)))

for (const title of titles)
  test(`${title}: the example changes files of the first step`, () => {
    const files = filesOf(title, 1)
    for (const [file, line] of firstSteps[title]!) {
      assert.ok(files.includes(file), file)
      assert.ok(textOf(file).includes(`\n${line}\n`), `${file}: ${line}`)
    }
  })

test('the compiler names places of each recipe but that of settings, which derive from their row', () => {
  const without = titles.filter((title) => !named.some(([one]) => one === title))
  assert.deepEqual(without, ['Add a setting'])
})

const letters = (text: string): string => text.replace(/[_-]/g, '').toLowerCase()

/** Whether the compiler names an example of the recipe in a file, in any spelling. */
function isNamed(title: string, file: string): boolean {
  const examples = firstSteps[title]!.flatMap(([, , added]) => added.match(/\brecipe\w*(?=\??:)/g) ?? [])
  const problems = letters(problemsOf(file))
  return examples.some((name) => problems.includes(letters(name)))
}

for (const [title, file] of named)
  test(`${title}: after the first step the compiler names ${file}`, () =>
    assert.ok(isNamed(title, file), problemsOf(file)))

for (const title of Object.keys(words))
  test(`${title}: after the first step the compiler names no other file`, () => {
    const files = filesOf(title, 2)
    const others = filesWith(title).filter((file) => !files.includes(file) && isNamed(title, file))
    assert.deepEqual(others, [])
  })

test('Add a setting: after the first step it has its type', () => assert.equal(problemsOf(PROBE), '[]'))

test('every setting is read', () => {
  const code = sources
    .filter(
      (file) => isProduct(file) && /^(broker|server|cli)\//.test(file) && !file.endsWith('settings.table.ts'),
    )
    .map(textOf)
    .join('\n')
  const words = new Set(code.match(/\w+/g))
  assert.deepEqual(
    Object.keys(settings).filter((name) => !words.has(name)),
    [],
  )
})
