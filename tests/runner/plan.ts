/** Specs that run in one process, one after the other, in this order. A divided spec finds its part in `PART`. */
export type Job = { readonly name: string; readonly files: readonly string[]; readonly part?: string }

/**
 * A folder is a process: its specs leave no state behind. Most of the cost of a small spec is to load the modules that it
 * tests, and specs of a folder share the broker of tests/support/shared-broker.ts. The broker and the server are
 * divided, because the heap of a process with all their specs is so large that it collects garbage for a sixth of its time.
 */
const folders = /^(tests\/[^/]+|broker\/src\/(journal|market|query-tables)|server\/src\/http|[^/]+)/

/** The first words of specs that share no process. */
const alone: readonly string[] = [
  // Each keeps its nodes busy until its process ends.
  'tests/cluster/',
  // Each records which operations it uses.
  'tests/reference/oauth4webapi',
  // It needs a `main` that nobody has used.
  'tests/dashboard/first.spec',
  // They replace modules of Node.
  'tests/simulation/cluster/',
]

/** Folders and specs that take or wait long, the longest first. They start early, so that no long job ends last. */
const longest: readonly string[] = [
  'tests/cluster/faults.spec.ts',
  'tests/dashboard',
  'tests/browser',
  'tests/drill',
  'tests/bad-days',
  'tests/reference',
  'tests/worlds',
  'tests/run-command',
  'broker',
  'broker/src/query-tables',
  'tests/packages',
  'tests/start',
  'tests/specification',
  'server/src/http',
  'tests/simulation',
  'tests/store',
  'tests/hostile',
]

/** The specs of `npm run test:quick`: units, the specification, and the program as a user starts it. */
const quick =
  /^(contract|core|sdk|broker|server|cli)\/|^tests\/(specification\/|(architecture\/architecture|commands\/command-line)\.spec)/

/** Specs of stores, of markets, of many worlds, and of slow clients take half of the time of all units. */
const notQuick =
  /postgres|^broker\/src\/(backup|import|journal|market|query-tables|registry)\/|^server\/src\/http\/(connection\/|oauth\/pages\/|keep-alive|sockets|reading\/event-streams)/

export const isQuick = (file: string): boolean => quick.test(file) && !notQuick.test(file)

/**
 * The specs of `npm run test:long`: random inputs and faults with counts that take hours, packages with every Node, and
 * every spec with cases that `npm test` omits (tests/support/cases.ts).
 */
const long =
  /^tests\/(simulation|hostile|bad-days|browser|chain|cluster|dashboard|deploy|market|packages|sdk|store|containers|run-command|drill|upstream|worlds|tokenization|oauth)\/|^examples\/|^tests\/(commands\/(partner-accounts|shipped-scenarios)|same-bytes\/(determinism|history-threads)|start\/(installation|loaded-modules)|specification\/(same-frames|world-difference-random)|documents\/tutorial)\.spec|^contract\/src\/hostile|^core\/src\/(market\/kernel\/|tokenization\/conservation|(oauth|orders)\/.*long-run)|^broker\/src\/(import\/round-trip|journal\/(damage|kill)|market\/store\/|query-tables\/)|^server\/src\/http\/reading\/difference\//

export const isLong = (file: string): boolean => long.test(file)

/** Specs that only the long run has: they cost much, and other specs of `npm test` check the same parts with less. */
const longOnly =
  /^tests\/(browser\/run-gateway|dashboard\/auditor|deploy\/(postgres|rotate(-server)?)|cluster\/(doctor|patroni|random-faults))\.spec/

export const isLongOnly = (file: string): boolean => longOnly.test(file)

/** Specs that wait for browsers, processes or databases. All others give the same result on a busy machine. */
const waiting =
  /^tests\/(bad-days|browser|chain|cluster|dashboard|deploy|documents|doctor|drill|hostile|packages|run-command|start|store|upstream|worlds)\//

export const waits = (file: string): boolean => waiting.test(file)

/** CPU seconds of the expensive specs of a long run, or a third of their time if they wait: they start first. */
const longCosts: Readonly<Record<string, number>> = {
  'tests/dashboard/busy.spec.ts': 225,
  'tests/hostile/routes.spec.ts': 198,
  'tests/simulation/cluster/cluster.spec.ts': 150,
  'tests/worlds/lost-database.spec.ts': 142,
  'tests/simulation/properties.spec.ts': 105,
  'tests/simulation/mutations.spec.ts': 88,
  'tests/simulation/whole-world.spec.ts': 100,
  'tests/cluster/random-faults.spec.ts': 94,
  'tests/cluster/patroni.spec.ts': 65,
  'tests/containers/containers.spec.ts': 60,
  'tests/dashboard/long-lists.spec.ts': 50,
  'tests/packages/broker.spec.ts': 60,
  'core/src/market/kernel/market-properties.spec.ts': 59,
  'tests/bad-days/kill.spec.ts': 55,
  'tests/packages/release.spec.ts': 37,
  'broker/src/import/round-trip.spec.ts': 36,
  'tests/cluster/faults.spec.ts': 30,
  'examples/examples.spec.ts': 27,
  'tests/worlds/durable-postgres.spec.ts': 27,
}

/** The cost of a spec, or of each part of it. */
export const longCost = (name: string): number => longCosts[fileOf(name)] ?? 10

/** Specs that would be the longest of a long run, with the number of their parts. Slices and processes share the parts. */
const divided: Readonly<Record<string, number>> = {
  'tests/cluster/random-faults.spec.ts': 8,
  'tests/simulation/mutations.spec.ts': 3,
}

/** The names of the parts of a spec, such as `tests/cluster/random-faults.spec.ts 3/8`. Most specs are one part. */
export function partsOf(file: string): readonly string[] {
  const parts = divided[file]
  return parts === undefined ? [file] : Array.from({ length: parts }, (_, n) => `${file} ${n + 1}/${parts}`)
}

const fileOf = (name: string): string => name.split(' ')[0]!

/** A job of one spec or of one part of a spec. */
export function jobOf(name: string): Job {
  const [file, part] = name.split(' ')
  return { name, files: [file!], ...(part === undefined ? {} : { part }) }
}

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
  CLOCK_CHANGE_WEEKS: '2',
  CLUSTER_FAULTS: '200',
  LOOKS: 'all',
  DASHBOARD_UPDATES: '5000',
} as const

/** The jobs for these specs, in the order of their start. */
export function planOf(specs: readonly string[]): readonly Job[] {
  const files = Map.groupBy(specs, processOf)
  const names = new Set([...longest.filter((name) => files.has(name)), ...files.keys()])
  return [...names].map((name) => (specs.includes(name) ? jobOf(name) : { name, files: files.get(name)! }))
}

const processOf = (name: string): string =>
  name !== fileOf(name) || alone.some((start) => name.startsWith(start)) ? name : folders.exec(name)![0]
