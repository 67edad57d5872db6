/** Specs that run in one process, one after the other, in this order. */
export type Job = { readonly name: string; readonly files: readonly string[] }

type Group = { readonly name: string; readonly specs: RegExp }

/**
 * Specs that may share a process because they leave no state behind. Most of the cost of a small spec is to load the
 * modules that it tests. Specs of a group also share the broker of tests/support/shared-broker.ts and the folder of
 * tests/store/sample-folder.ts. Specs of tests/cluster do not share one: each keeps its nodes busy until its process ends.
 */
const groups: readonly Group[] = [
  // A process with all specs of the server collected garbage for a sixth of its time, because its heap was large.
  {
    name: 'broker/journal',
    specs: /^broker\/src\/(journal|backup|binary|postgres|data-folder|threads|log)\//,
  },
  { name: 'broker/market', specs: /^broker\/src\/(market|import)\// },
  { name: 'broker/views', specs: /^broker\/src\/(views|registry)\/|^server\/src\/start\// },
  { name: 'server/http', specs: /^server\/src\/http\// },
  { name: 'broker, server and cli', specs: /^(broker|server|cli)\/src\// },
  { name: 'tests/browser', specs: /^tests\/browser\// },
  { name: 'tests/dashboard', specs: /^tests\/dashboard\// },
  { name: 'tests/specification', specs: /^tests\/specification\// },
  {
    name: 'tests/reference/official-sdk',
    specs: /^tests\/reference\/official-sdk-(?!3-|streams)/,
  },
  { name: 'tests/reference/official-sdk-3', specs: /^tests\/reference\/official-sdk-3-/ },
  // They use the shared broker or a broker of their own.
  { name: 'tests/faults, venue and worlds', specs: /^tests\/(faults|venue|worlds)\// },
  { name: 'tests/bad-days', specs: /^tests\/bad-days\// },
  {
    name: 'tests, documents',
    specs:
      /^tests\/(documents\/(?!(docs|migrate|openapi)\.)|deploy\/(deploy|alerts)\.spec|start\/(self-signed|start-screen))/,
  },
  {
    name: 'tests, program',
    specs:
      /^tests\/(same-bytes\/(determinism|golden-bytes)|start\/(failing-starts|find-server|no-outward-connections)|market\/imported-data-in-main|releases\/releases|sdk\/streams)\.spec/,
  },
  {
    name: 'tests, data',
    specs: /^tests\/(store\/journal-format|same-bytes\/memory-and-disk|start\/postgres)\.spec/,
  },
  // Each part has a cluster; several at the same time would slow each other down.
  { name: 'tests/cluster/faults', specs: /^tests\/cluster\/faults\// },
  { name: 'tests/hostile', specs: /^tests\/hostile\// },
  { name: 'tests/simulation', specs: /^tests\/simulation\// },
  { name: 'tests/sdk', specs: /^tests\/sdk\// },
  { name: 'tests/store', specs: /^tests\/store\// },
  {
    name: 'tests, commands',
    specs: /^tests\/commands\/(?!command-line\.)|^tests\/documents\/migrate\.spec/,
  },
  { name: 'tests/run-command', specs: /^tests\/run-command\// },
  { name: 'tests/upstream', specs: /^tests\/upstream\// },
  { name: 'tests/chain', specs: /^tests\/chain\// },
  { name: 'tests/oauth', specs: /^tests\/(oauth|tokenization)\// },
  {
    name: 'tests, texts',
    specs: /^tests\/(architecture|soak)\/|^tests\/(documents\/(docs|openapi)|start\/installation)\.spec/,
  },
  { name: 'examples', specs: /^examples\// },
  { name: 'core', specs: /^core\/src\// },
  { name: 'contract and sdk', specs: /^(contract|sdk)\/src\// },
]

/** Long specs, longest first. Each runs alone and starts early, so that no long job ends last. */
const longest: readonly string[] = [
  // It waits for a minute and needs little CPU time.
  'tests/cluster/faults.spec.ts',
  // A bot of it waits until the limit of its drill.
  'tests/drill/drill.spec.ts',
  // It waits for reconnections.
  'tests/reference/official-sdk-streams.spec.ts',
  // Its specs wait until they are stopped.
  'tests/runner/runner.spec.ts',
  'tests/packages/broker.spec.ts',
  'tests/simulation/mutations.spec.ts',
  'tests/simulation/cluster/cluster.spec.ts',
  'tests/simulation/cluster/mutations.spec.ts',
  'tests/simulation/whole-world.spec.ts',
  'tests/bad-days/kill.spec.ts',
  'tests/bad-days/postgres.spec.ts',
  'broker/src/views/postgres/postgres.spec.ts',
  'tests/commands/command-line.spec.ts',
  'tests/hostile/routes.spec.ts',
  'tests/bad-days/restart.spec.ts',
  'broker/src/views/sqlite/sqlite.spec.ts',
  'tests/simulation/world-on-postgres.spec.ts',
  'tests/chain/crash.spec.ts',
]

/** The specs of `npm run test:quick`: units without stores, the specification, and the program as a user starts it. */
const quick =
  /^(contract|core|sdk|server|cli)\/|^broker\/src\/(?!(views|journal|postgres|backup|registry\/store|market\/(replay|store))\/)|^tests\/(specification\/|(architecture\/architecture|commands\/command-line)\.spec)/
const usesPostgres = /postgres/

export const isQuick = (file: string): boolean => quick.test(file) && !usesPostgres.test(file)

/**
 * The specs of `npm run test:long`: random inputs and faults with counts that take hours, packages with every Node, and
 * every spec with cases that `npm test` omits (tests/support/cases.ts).
 */
const long =
  /^tests\/(simulation|hostile|bad-days|browser|chain|cluster|dashboard|deploy|market|packages|sdk|store|containers|run-command|drill|upstream|worlds|tokenization|oauth)\/|^examples\/|^tests\/(same-bytes\/(determinism|history-threads)|start\/(installation|loaded-modules)|specification\/same-frames)\.spec|^contract\/src\/hostile|^core\/src\/(market\/kernel\/|tokenization\/conservation|(oauth|orders)\/.*long-run)|^broker\/src\/(import\/round-trip|journal\/(damage|kill)|market\/store\/|views\/)/

export const isLong = (file: string): boolean => long.test(file)

/** Specs that only the long run has: they cost much, and other specs of `npm test` check the same parts with less. */
const longOnly =
  /^tests\/(browser\/run-gateway|dashboard\/auditor|deploy\/(postgres|rotate(-server)?)|cluster\/(doctor|patroni|faults\/part-\d))\.spec/

export const isLongOnly = (file: string): boolean => longOnly.test(file)

/** CPU seconds of the expensive specs of a long run, or a third of their time if they wait: they start first. */
const longCosts: Readonly<Record<string, number>> = {
  'tests/dashboard/busy.spec.ts': 225,
  'tests/hostile/routes.spec.ts': 198,
  'tests/simulation/cluster/mutations.spec.ts': 162,
  'tests/simulation/cluster/cluster.spec.ts': 150,
  'tests/worlds/lost-database.spec.ts': 142,
  'tests/simulation/properties.spec.ts': 105,
  'tests/simulation/mutations.spec.ts': 103,
  'tests/simulation/whole-world.spec.ts': 100,
  'tests/cluster/faults/part-8.spec.ts': 99,
  'tests/cluster/faults/part-5.spec.ts': 98,
  'tests/cluster/faults/part-6.spec.ts': 97,
  'tests/cluster/faults/part-1.spec.ts': 95,
  'tests/cluster/faults/part-4.spec.ts': 95,
  'tests/cluster/faults/part-2.spec.ts': 94,
  'tests/cluster/faults/part-3.spec.ts': 87,
  'tests/cluster/faults/part-7.spec.ts': 86,
  'tests/cluster/patroni.spec.ts': 65,
  'tests/containers/containers.spec.ts': 60,
  'tests/packages/broker.spec.ts': 60,
  'core/src/market/kernel/market.spec.ts': 59,
  'tests/bad-days/kill.spec.ts': 55,
  'tests/packages/release.spec.ts': 37,
  'broker/src/import/round-trip.spec.ts': 36,
  'tests/cluster/faults.spec.ts': 30,
  'examples/examples.spec.ts': 27,
  'tests/worlds/durable-postgres.spec.ts': 27,
}

export const longCost = (file: string): number => longCosts[file] ?? 10

/** Counts with which two cores need about an hour and a half, so that the long run is run. Variables give higher ones. */
export const longCounts = {
  // Every way to a behaviour of which `npm test` runs one (tests/support/cases.ts).
  CASES: 'all',
  INPUTS: '200',
  KILLS: '40',
  PROPERTY_RUNS: '200',
  PROPERTY_FACTOR: '8',
  MUTATIONS: 'all',
  RUNS: '400',
  CLUSTER_RUNS: '120',
  FUZZ_INPUTS: '20000',
  PACKAGES: 'all',
  CONTAINERS: 'all',
  BROWSERS: 'all',
  MARKETS: 'all',
  RUN_NODES: 'all',
  DRILLS: 'all',
  DASHBOARD_MINUTES: '10',
  CLOCK_CHANGE_WEEKS: '2',
  CLUSTER_FAULTS: '200',
  LOOKS: 'all',
  DASHBOARD_UPDATES: '5000',
} as const

/** The jobs for these specs, in the order of their start. */
export function planOf(specs: readonly string[]): readonly Job[] {
  const alone = longest.filter((file) => specs.includes(file))
  const groupOf = (file: string) => groups.find((group) => group.specs.test(file))?.name ?? file
  const rest = Map.groupBy(
    specs.filter((file) => !alone.includes(file)),
    groupOf,
  )
  const names = groups.map(({ name }) => name).filter((name) => rest.has(name))
  return [
    ...alone.map((file) => ({ name: file, files: [file] })),
    ...[...new Set([...names, ...rest.keys()])].map((name) => ({ name, files: rest.get(name)! })),
  ]
}
