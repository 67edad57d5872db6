/** Specs that run in one process, one after the other, in this order. */
export type Job = { readonly name: string; readonly files: readonly string[] }

type Group = { readonly name: string; readonly specs: RegExp; readonly processes: number }

/**
 * Specs that may share a process because they leave no state behind. Most of the cost of a small spec is to load the
 * modules that it tests. Specs of a group also share the broker of tests/shared-broker.ts and the folder of
 * tests/store/sample-folder.ts.
 */
const groups: readonly Group[] = [
  // A process with all specs of the server collected garbage for a sixth of its time, because its heap was large.
  { name: 'server/journal', specs: /^server\/src\/(journal|backup|binary|postgres|process)\//, processes: 1 },
  { name: 'server/market', specs: /^server\/src\/(market|import)\//, processes: 1 },
  { name: 'server/views', specs: /^server\/src\/(views|worlds|start)\//, processes: 1 },
  { name: 'server/http', specs: /^server\/src\/http\//, processes: 1 },
  { name: 'server', specs: /^server\/src\//, processes: 1 },
  { name: 'tests/browser', specs: /^tests\/browser\//, processes: 1 },
  { name: 'tests/specification', specs: /^tests\/specification\//, processes: 1 },
  {
    name: 'tests/reference/official-sdk',
    specs: /^tests\/reference\/official-sdk-(?!3-|streams)/,
    processes: 1,
  },
  { name: 'tests/store', specs: /^tests\/store\//, processes: 1 },
  {
    name: 'tests, commands',
    specs:
      /^tests\/(apps|audit-log|imported-data|machine-tokens|partner-accounts|trading-commands|users)\.spec/,
    processes: 1,
  },
  { name: 'tests/upstream', specs: /^tests\/upstream\//, processes: 1 },
  { name: 'tests/chain', specs: /^tests\/chain\//, processes: 1 },
  { name: 'tests/oauth', specs: /^tests\/(oauth|tokenization)\/|^tests\/wallets\.spec/, processes: 1 },
  {
    name: 'tests, texts',
    specs: /^tests\/(architecture|docs|openapi|soak\/\w+)\.spec/,
    processes: 1,
  },
  { name: 'examples', specs: /^examples\//, processes: 1 },
  { name: 'core', specs: /^core\/src\//, processes: 1 },
  { name: 'contract and sdk', specs: /^(contract|sdk)\/src\//, processes: 1 },
]

/** Long specs, longest first. Each runs alone and starts early, so that no long job ends last. */
const longest: readonly string[] = [
  'tests/simulation/mutations.spec.ts',
  'tests/simulation/whole-world.spec.ts',
  'tests/bad-days/kill.spec.ts',
  'tests/bad-days/postgres.spec.ts',
  'server/src/views/postgres/postgres.spec.ts',
  'tests/command-line.spec.ts',
  'tests/hostile/routes.spec.ts',
  'tests/bad-days/restart.spec.ts',
  'server/src/views/sqlite.spec.ts',
  'tests/simulation/world-on-postgres.spec.ts',
  'tests/chain/crash.spec.ts',
]

/** The specs of `npm run test:quick`: units without stores, the specification, and the program as a user starts it. */
const quick =
  /^(contract|core|sdk)\/|^server\/src\/(?!(views|journal|postgres|backup|market\/(replay|store))\/)|^tests\/(specification\/|(architecture|command-line)\.spec)/
const usesPostgres = /postgres/

export const isQuick = (file: string): boolean => quick.test(file) && !usesPostgres.test(file)

/** The specs of `npm run test:long`: random inputs and faults, with counts that take hours. */
const long = /^tests\/(simulation|hostile|bad-days)\//

export const isLong = (file: string): boolean => long.test(file)

export const longCounts = {
  INPUTS: '1000',
  KILLS: '100',
  PROPERTY_RUNS: '200',
  MUTATIONS: 'all',
  RUNS: '1000',
  FUZZ_INPUTS: '50000',
} as const

/** The jobs for these specs, in the order of their start. */
export function planOf(specs: readonly string[]): readonly Job[] {
  const alone = longest.filter((file) => specs.includes(file))
  const rest = specs.filter((file) => !alone.includes(file))
  const others = rest.filter((file) => !groups.some((group) => group.specs.test(file)))
  return [...alone.map(single), ...grouped, ...others.map(single)]
}

const single = (file: string): Job => ({ name: file, files: [file] })

/** Splits a group into processes; adjacent files, which often cost the same, run in different processes. */
function splitGroup(name: string, files: readonly string[], processes: number): readonly Job[] {
  return Array.from({ length: Math.min(processes, files.length) }, (_, process) => {
    const share = files.filter((_file, index) => index % processes === process)
    if (share.length === 1) return single(share[0]!)
    return { name: processes === 1 ? name : `${name} ${process + 1} of ${processes}`, files: share }
  })
}
