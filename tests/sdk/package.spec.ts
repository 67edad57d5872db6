import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { join } from 'node:path'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { newFolder } from '../support/broker.ts'
import { broker } from '../support/shared-broker.ts'
import { built, nodes, project, runInProject } from './installed.ts'
import { observed } from './whole-surface.ts'

const root = join(import.meta.dirname, '..', '..')
const read = (name: string) => readFileSync(join(built, name), 'utf8')

test('the package has no dependencies, no side effects, and less than 20 kB of code', () => {
  const manifest = JSON.parse(read('package.json'))
  assert.equal(manifest.name, '@quipu/sdk')
  assert.equal(manifest.sideEffects, false)
  assert.deepEqual(
    ['dependencies', 'peerDependencies', 'optionalDependencies', 'scripts'].filter((key) => key in manifest),
    [],
  )
  for (const name of ['index.js', 'index.cjs']) {
    const size = gzipSync(read(name)).length
    assert.ok(size < 20_000, `${name}: ${size} bytes`)
  }
})

test('no file of the package imports another package', () => {
  const imports = globSync('**/*.{js,d.ts}', { cwd: built }).flatMap((name) =>
    [...read(name).matchAll(/(?:from|import)\s*\(?\s*['"]([^'"]+)['"]/g)].map(([, from]) => from!),
  )
  assert.ok(imports.length > 5)
  const required = [...read('index.cjs').matchAll(/(?:require|import)\(\s*['"]([^'"]+)['"]\)/g)].map(
    ([, from]) => from,
  )
  assert.deepEqual([...new Set(required)], ['#websocket'])
  assert.deepEqual(
    // The WebSocket for Node 20 is a file of the package, and uses Node's own modules.
    [...new Set(imports.filter((from) => !from.startsWith('.')))].sort(),
    ['#websocket', 'node:module'],
  )
})

test('the example of a first order runs on every Node of this machine', async () => {
  const program = stripTypeScriptTypes(readFileSync(join(root, 'examples', 'first-order.ts'), 'utf8'))
  const env = {
    APCA_API_BASE_URL: broker.url,
    APCA_API_KEY_ID: broker.keyId,
    APCA_API_SECRET_KEY: broker.secretKey,
  }
  for (const node of nodes())
    assert.match(await runInProject(node, program, env), /^bought 2 AAPL at [\d.]+\n/)
})

test('a program in CommonJS requires the package, with its types, on every Node', async () => {
  const env = { QUIPU_URL: broker.url, QUIPU_KEY_ID: broker.keyId, QUIPU_SECRET_KEY: broker.secretKey }
  const program = `const { createQuipu, ApiError } = require('@quipu/sdk')
    const quipu = createQuipu()
    const stream = quipu.streams.tradeUpdates()
    quipu.orders.get('none').catch(async (error) => {
      console.log(error instanceof ApiError, (await stream.authenticate()).status, (await quipu.account.get()).status)
      stream.close()
    })`
  for (const node of nodes())
    assert.equal(await runInProject(node, program, env, 'cjs'), 'true authenticated ACTIVE\n')
  const typed = `
    import sdk = require('@quipu/sdk')
    const order: Promise<sdk.Order> = sdk.createQuipu().orders.get('id')
    // @ts-expect-error no such field
    order.then(({ filled_qty }) => filled_qty)`
  const options = { ...strict, module: 'NodeNext', lib: ['ES2024', 'DOM'], types: [], skipLibCheck: false }
  assert.equal(compile(project, options, typed, 'typescript', 'program.cts'), '')
})

test('the package has a README and its guide, without links that lead out of it', () => {
  for (const [name, folder] of [
    ['README.md', '.'],
    ['docs/sdk.md', 'docs'],
  ] as const) {
    const links = [...read(name).matchAll(/\]\(([^)]+)\)/g)].map(([, to]) => to!)
    const local = links.filter((to) => !/^(https?:|#)/.test(to))
    for (const to of local) assert.ok(existsSync(join(built, folder, to)), `${name}: ${to}`)
    assert.match(read(name), /createQuipu/)
  }
})

test('bundlers of web pages take the package as it is, without the WebSocket for Node 20', async () => {
  const contents = `import { createQuipu } from '@quipu/sdk'; createQuipu({ url: 'http://a', accessToken: 'b' })`
  const stdin = { contents, resolveDir: project }
  const options = { bundle: true, format: 'esm', platform: 'browser', write: false, minify: true } as const
  const { outputFiles } = await build({ ...options, stdin })
  const size = gzipSync(outputFiles[0]!.text).length
  assert.ok(size < 20_000, `${size} bytes`)
  assert.doesNotMatch(outputFiles[0]!.text, /permessage-deflate/)
})

test('a program observes the same with every Node: orders, streams, prices, errors', async () => {
  const source = readFileSync(join(import.meta.dirname, 'whole-surface.ts'), 'utf8')
  const { url, keyId, secretKey, brokerKey, brokerSecret } = broker
  const program = `${stripTypeScriptTypes(source)}
    import * as sdk from '@quipu/sdk'
    console.log(JSON.stringify(await observe(sdk, ${JSON.stringify({ url, keyId, secretKey, brokerKey, brokerSecret })})))`
  for (const node of nodes()) assert.deepEqual(JSON.parse(await runInProject(node, program)), observed)
})

/** Compiles a program and returns the messages of the compiler. */
function compile(
  folder: string,
  options: Readonly<Record<string, unknown>>,
  text: string,
  compiler: 'typescript' | 'typescript-5' = 'typescript',
  file = 'program.ts',
): string {
  const home = join(root, compiler === 'typescript' ? '' : 'tests/programs', 'node_modules', compiler)
  const compilerOptions = { strict: true, noEmit: true, ...options }
  writeFileSync(join(folder, file), text)
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: [file] }))
  try {
    return execFileSync(process.execPath, [join(home, 'bin', 'tsc'), '-p', folder], { encoding: 'utf8' })
  } catch (error) {
    return (error as { stdout: string }).stdout
  }
}

const strict = { exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true, target: 'ES2022' }

test('a strict program compiles with the declarations, and they are complete', () => {
  const program = `
    import { createClient, type WireOrder as Order, type WireTradeUpdate as TradeUpdate } from '@quipu/sdk'
    const client = createClient({ url: '', keyId: '', secretKey: '' })
    const order: Order = await client.placeOrder({ body: { symbol: 'AAPL', qty: 2, side: 'buy', type: 'market' } })
    const update = (): TradeUpdate['order'] => order
    await client.listOrders({ query: { after: new Date(), until: '2026-01-31' } })
    await client.getTokenizationRequests({ query: { after: new Date() } })
    await client.getCalendar({ query: { start: new Date(), end: '2026-01-31' } })
    await client.createMarketEvent({ params: { world: 'w' }, body: { kind: 'gap', on: new Date() } })
    // @ts-expect-error a time is a text or a date
    await client.listOrders({ query: { after: 0 } })
    // @ts-expect-error no such order type
    await client.placeOrder({ body: { symbol: 'AAPL', qty: 2, side: 'buy', type: 'fast' } })
    // @ts-expect-error a parameter is missing
    await client.getOrder()
    console.log(update().status === 'filled', (await client.getAccount()).equity)`
  const options = { ...strict, module: 'NodeNext', lib: ['ES2024', 'DOM'], types: [], skipLibCheck: false }
  assert.equal(compile(project, options, program), '')
})

if (process.env['PACKAGES'] === 'all')
  test('TypeScript 5.9 compiles the first order with few types', () => {
    const text = readFileSync(join(root, 'examples', 'first-order.ts'), 'utf8')
    const typeRoots = [join(root, 'node_modules', '@types')]
    const options = { ...strict, module: 'NodeNext', typeRoots, types: ['node'], skipLibCheck: true }
    const report = compile(project, { ...options, extendedDiagnostics: true }, text, 'typescript-5')
    assert.doesNotMatch(report, /error TS/)
    // The time of a compiler depends on the machine; this count does not.
    const [, instantiations] = /^Instantiations:\s+(\d+)/m.exec(report) ?? assert.fail(report)
    assert.ok(Number(instantiations) < 1000, `${instantiations} instantiations`)
  })

if (process.env['PACKAGES'] === 'all')
  test('the flat types of the package agree with the types of the contract', () => {
    // Legs have a loose type in the contract, because the type of an order cannot be inferred from itself.
    const program = `
    import type { Call, CamelAccount, CamelOrder, CamelPosition, OperationName as Name, Output } from '${join(root, 'sdk/src/contract.ts')}'
    import type * as flat from '${join(built, 'types/contract.js')}'
    import type { Call as FlatCall, Output as FlatOutput, OperationName as FlatName } from '${join(built, 'types/contract.js')}'
    type Plain<T> = T extends Uint8Array ? T : T extends readonly (infer I)[] ? readonly Plain<I>[]
      : T extends object ? { [K in keyof T]: K extends 'legs' ? unknown : Plain<T[K]> } : T
    type All<N extends string> = { [K in N]: true }
    export const names: [FlatName] extends [Name] ? ([Name] extends [FlatName] ? true : false) : false = true
    export const received: { [N in Name]: Plain<Output<N>> extends Plain<FlatOutput<N>> ? true : false } = {} as All<Name>
    export const precise: { [N in Name]: Plain<FlatOutput<N>> extends Plain<Output<N>> ? true : false } = {} as All<Name>
    type Same<One, Other> = Plain<One> extends Plain<Other> ? (Plain<Other> extends Plain<One> ? true : false) : false
    export const camel: [Same<CamelAccount, flat.CamelAccount>, Same<CamelOrder, flat.CamelOrder>, Same<CamelPosition, flat.CamelPosition>] = [true, true, true]
    export const sent: { [N in Name]: FlatCall<N> extends Call<N> ? true : false } = {} as All<Name>`
    const options = {
      ...strict,
      lib: ['ES2024', 'DOM'],
      types: [],
      skipLibCheck: true,
      allowImportingTsExtensions: true,
    }
    const settings = { ...options, module: 'ESNext', moduleResolution: 'bundler' }
    assert.equal(compile(newFolder(), settings, program), '')
  })

const guide = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'guides', 'sdk.md'), 'utf8')
const programs = [...guide.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, text]) => text!)

const outputs = [
  /^bought 2 at [\d.]+\nequity [\d.]+, buying power [\d.]+, last price [\d.]+\n$/,
  /^\w+ 2\ncanceled\n$/,
  /^AAPL rose on \d+ days\n\d+ [\d.]+ [\d.]+\n$/,
  /^true 0\ntrue\n$/,
  /fill BTC\/USD [\d.]+\n[\s\S]*open\n\{\n? *quotes: \[ 'BTC\/USD' \]/,
  /^403 40310000 insufficient buying power [0-9a-f]{32}\n$/,
  /^COMPLETE confirmed\n$/,
  /^\d+ \[/,
  /^ACTIVE 200 number\n$/,
]

test('the programs of the guide run as they are', async () => {
  assert.equal(programs.length, outputs.length)
  const env = {
    APCA_API_BASE_URL: broker.url,
    APCA_API_KEY_ID: broker.keyId,
    APCA_API_SECRET_KEY: broker.secretKey,
    APCA_ACCOUNT_ID: broker.accountId,
    QUIPU_BROKER_KEY: broker.brokerKey,
    QUIPU_BROKER_SECRET: broker.brokerSecret,
  }
  // One process for all programs: each would spend most of its time on starting Node.
  for (const [index, text] of programs.entries())
    writeFileSync(join(project, `guide-${index}.js`), stripTypeScriptTypes(text))
  const all = programs.map((_, index) => `await import('./guide-${index}.js'); console.log('----')`)
  const printed = (await runInProject(nodes()[0]!, all.join('\n'), env)).split('----\n')
  for (const [index, expected] of outputs.entries()) assert.match(printed[index]!, expected)
})
