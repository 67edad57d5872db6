import { camelCase } from '@quipu/broker/faults/effect.ts'
import { faultKinds } from '@quipu/contract'
import { inEachFile, matchesIn, type Repository, type Rule } from '../rule.ts'
import { isProduct } from '../sources.ts'

const pureCore: Rule = {
  name: 'the core has no async code, no clock and no random numbers',
  covers: (path) => isProduct(path) && path.startsWith('core/'),
  violations: inEachFile(({ code }) =>
    matchesIn(
      code,
      /\bDate\b|\bawait\b|\basync\b|\bperformance\b|\bsetTimeout\b|\bprocess\.|\bMath\.(random|exp|expm1|log|log2|log10|log1p|pow|sin|cos|tan|asin|acos|atan|atan2|sinh|cosh|tanh|cbrt|hypot)\b|\*\*/,
    ),
  ),
  planted: [
    {
      files: {
        'core/src/planted.ts': [
          '// The Date of a comment is allowed.',
          'const now = Date.now()',
          'const chance = Math.random() ** 2',
          'export const wait = async () => await 1',
        ].join('\n'),
      },
      refused: ['Date', 'Math.random', '**', 'async', 'await'].map((word) => `core/src/planted.ts: ${word}`),
    },
  ],
}

/** The names of fields on the wire, of more than one word: others are also names in the code. */
function wireNames({ files }: Repository): ReadonlySet<string> {
  const declared = files.filter(({ path }) => isProduct(path) && path.startsWith('contract/src/operations/'))
  return new Set(
    declared.flatMap(({ code }) =>
      Array.from(code.matchAll(/^\s+([a-z]+(?:_[a-z0-9]+)+):/gm), ([, name]) => name!),
    ),
  )
}

const STRINGS = /'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`/g

const wireNamesAtEdge: Rule = {
  name: 'wire names occur only in contract and in the wire, http, streams and scenarios folders of the server',
  covers: (path) =>
    isProduct(path) && /^(core|broker|server)\/src\/(?!(wire|http|streams|scenarios)\/)/.test(path),
  exceptions: {
    'broker/src/issuer/external.ts': 'a client of the HTTP interface of issuers',
    'broker/src/market/upstream/history.ts': 'a client of the market data provider',
    'broker/src/market/upstream/listing.ts': 'a client of the market data provider',
  },
  violations(files, repository) {
    const names = wireNames(repository)
    return inEachFile(({ code }) =>
      // Strings have the columns of tables, which may have the same names.
      matchesIn(code.replace(STRINGS, "''"), /\b[a-z]+(?:_[a-z0-9]+)+\b/).filter((name) => names.has(name)),
    )(files, repository)
  },
  planted: [
    {
      files: {
        'broker/src/journal/planted.ts': 'export const limit = (order: Order) => order.limit_price',
        'core/src/planted.ts':
          "// client_order_id\nconst sql = 'SELECT account_id'\nconst { time_in_force } = order",
        'server/src/start/planted.ts': 'export type Planted = { readonly buying_power: string }',
        'server/src/wire/planted.ts': 'export const wire = { limit_price: 1 }',
      },
      refused: [
        'broker/src/journal/planted.ts: limit_price',
        'core/src/planted.ts: time_in_force',
        'server/src/start/planted.ts: buying_power',
      ],
    },
    {
      files: {
        'contract/src/operations/trading/planted.ts': 'const Planted = record({\n  planted_name: text(),\n})',
        'broker/src/world/planted.ts': 'const { planted_name } = planted',
      },
      refused: ['broker/src/world/planted.ts: planted_name'],
    },
  ],
}

const oneWriter: Rule = {
  name: 'only the engine writes state and journals',
  covers: (path) => isProduct(path) && /^(broker|server|cli)\//.test(path),
  exceptions: {
    'broker/src/world/engine.ts': 'the engine',
    'broker/src/world/incarnation.ts': 'rebuilds the state after a failure',
    'broker/src/world/preview.ts': 'decides on a copy of the state and discards it',
    'broker/src/query-tables/projection.ts': 'has the state of the query tables',
    'broker/src/query-tables/table-projection.ts': 'has the state of the query tables',
    'broker/src/query-tables/snapshot/make-snapshot.ts': 'rebuilds the state for a snapshot',
    'broker/src/query-tables/postgres/prepared-state.ts': 'rebuilds the state for a node that takes over',
    'broker/src/world/audit/audit.ts': 'rebuilds the state to compare it',
    'broker/src/registry/fork.ts': 'rebuilds the state of a fork',
    'broker/src/world/replay-while.ts': 'computes the state of a past event',
    'broker/src/registry/file/one-account.ts': 'writes the journal of a saved world',
    'broker/src/registry/file/read.ts': 'writes the journal of a loaded world',
    'broker/src/backup/postgres-backup.ts': 'writes the journal of a backup',
  },
  violations: inEachFile(({ text }) => [
    ...matchesIn(text, /import[^;]*?\bapply(?:ToRecords|WithoutOrders)?\b[^;]*?from '@quipu\/core'/).map(
      () => 'applies events',
    ),
    ...matchesIn(text, /journal\.append\(/).map(() => 'appends to a journal'),
  ]),
  planted: [
    {
      files: {
        'server/src/http/planted.ts': "import { apply } from '@quipu/core'\napply(state, event)",
        'broker/src/world/planted.ts': "import {\n  applyToRecords,\n} from '@quipu/core'",
        'cli/src/run/planted.ts': 'await this.journal.append(group)',
      },
      refused: [
        'server/src/http/planted.ts: applies events',
        'broker/src/world/planted.ts: applies events',
        'cli/src/run/planted.ts: appends to a journal',
      ],
    },
  ],
}

const oneReset: Rule = {
  name: 'connections are reset in one place, which knows when Node cannot',
  covers: isProduct,
  exceptions: { 'server/src/http/connection/reset-connection.ts': 'the one place' },
  violations: inEachFile(({ code }) => matchesIn(code, /\bresetAndDestroy\b/)),
  planted: [
    {
      files: { 'server/src/streams/planted.ts': 'socket.resetAndDestroy()' },
      refused: ['server/src/streams/planted.ts: resetAndDestroy'],
    },
  ],
}

/** Calls that follow a symbolic link, or write over a file. */
const PLAIN_WRITE =
  /\b(?:writeFile|appendFile|cp)(?:Sync)?\(|\bcreateWriteStream\(|\bcopyFile(?:Sync)?\((?!.*COPYFILE_EXCL)|(?<!\.)\bopen(?:Sync)?\([^;]*?'[wa]\+?'/

const writesWithoutLinks: Rule = {
  name: 'files of the data folder are written in one place, which follows no link',
  covers: (path) => isProduct(path) && /^broker\/src\/(?!import\/)|^server\/src\/start\//.test(path),
  exceptions: { 'broker/src/data-folder/file-operations.ts': 'the one place' },
  violations: inEachFile(({ text }) => matchesIn(text, PLAIN_WRITE)),
  planted: [
    {
      files: {
        'broker/src/journal/planted.ts': [
          "writeFileSync(join(data, 'x'), text)",
          "await copyFile(join(data, 'x'), to)",
          "await copyFile(join(data, 'x'), to, constants.COPYFILE_EXCL)",
        ].join('\n'),
        'server/src/start/planted.ts': "openSync(join(folder, 'server.log'), 'a')",
        'broker/src/world/planted.ts': "await open(path, 'w', 0o600)",
      },
      refused: [
        'broker/src/journal/planted.ts: writeFileSync(',
        'broker/src/journal/planted.ts: copyFile(',
        "server/src/start/planted.ts: openSync(join(folder, 'server.log'), 'a'",
        "broker/src/world/planted.ts: open(path, 'w'",
      ],
    },
  ],
}

/** The kinds of faults as on the wire and in code, without those that are also words of something else. */
const faultNames: ReadonlySet<string> = new Set(
  Object.keys(faultKinds)
    .filter((kind) => !['status', 'delay', 'reset', 'close', 'slow', 'drop'].includes(kind))
    .flatMap((kind) => [kind, camelCase(kind)]),
)

const faultsInOneFolder: Rule = {
  name: 'only the tables of broker/src/faults know what a kind of fault does',
  covers: (path) => isProduct(path) && /^(?:broker\/src\/(?!faults\/)|server\/)/.test(path),
  violations: inEachFile(({ code }) =>
    matchesIn(code, /(?:===|!==|case) '\w+'/).filter((text) => faultNames.has(text.split("'")[1]!)),
  ),
  planted: [
    {
      files: {
        'server/src/streams/planted.ts': "if (effect.kind === 'halfOpen') stop()",
        'server/src/http/planted.ts': "case 'call_refused':",
        'broker/src/faults/planted.ts': "if (effect.kind === 'halfOpen') stop()",
      },
      refused: [
        "server/src/streams/planted.ts: === 'halfOpen'",
        "server/src/http/planted.ts: case 'call_refused'",
      ],
    },
  ],
}

export const rules: readonly Rule[] = [
  pureCore,
  wireNamesAtEdge,
  oneWriter,
  oneReset,
  writesWithoutLinks,
  faultsInOneFolder,
]
