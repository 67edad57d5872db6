/** Specs that run in one process, one after the other, in the order given. */
export type Job = { readonly name: string; readonly files: readonly string[] }

type Together = { readonly under: string; readonly except?: RegExp; readonly processes: number }

/**
 * Specs that may share a process: they leave nothing behind that another could trip over. Most of what a small spec
 * costs is reading the modules it tests, and those of `specification` share the broker of their stage too.
 */
const together: readonly Together[] = [
  { under: 'tests/browser/', processes: 1 },
  { under: 'tests/specification/', processes: 3 },
  { under: 'tests/reference/official-sdk-', except: /-sdk-3-|streams/, processes: 2 },
  { under: 'server/src/', processes: 4 },
  { under: 'core/src/', processes: 2 },
  { under: 'contract/src/', processes: 1 },
]

/** Alone, and the first to begin: what takes long must not be the last to end. The longest first. */
const longest: readonly string[] = [
  'tests/simulation/mutations.spec.ts',
  'tests/simulation/whole-world.spec.ts',
  'tests/bad-days/kill.spec.ts',
  'tests/bad-days/postgres.spec.ts',
  'server/src/views/postgres/postgres.spec.ts',
  'tests/front-door.spec.ts',
  'tests/hostile/routes.spec.ts',
  'tests/bad-days/restart.spec.ts',
  'server/src/views/sqlite.spec.ts',
  'tests/simulation/world-on-postgres.spec.ts',
  'tests/chain/crash.spec.ts',
  'tests/apps.spec.ts',
]

/** Who runs what, in the order of their beginning. */
export function planOf(specs: readonly string[]): readonly Job[] {
  const alone = longest.filter((file) => specs.includes(file))
  const rest = specs.filter((file) => !alone.includes(file))
  const shared = together.flatMap((one) =>
    dealt(
      one.under.replace(/\W(src\/)?$/, ''),
      rest.filter((file) => isOf(one, file)),
      one.processes,
    ),
  )
  const others = rest.filter((file) => !together.some((one) => isOf(one, file)))
  return [...alone.map(single), ...shared, ...others.map(single)]
}

const isOf = ({ under, except }: Together, file: string): boolean =>
  file.startsWith(under) && !except?.test(file)

const single = (file: string): Job => ({ name: file, files: [file] })

/** As cards are: neighbours, which are often alike, come to different hands. */
function dealt(name: string, files: readonly string[], hands: number): readonly Job[] {
  return Array.from({ length: Math.min(hands, files.length) }, (_, hand) => {
    const own = files.filter((_file, index) => index % hands === hand)
    return own.length === 1 ? single(own[0]!) : { name: `${name} ${hand + 1} of ${hands}`, files: own }
  })
}
