import type { Queries } from './connection.ts'

/** Settings that, switched off, promise more than the disk has, and what that means here. */
const doubtful = new Map([
  ['fsync', 'what was acknowledged may be gone, and its files damaged, when the machine stops'],
  ['full_page_writes', 'its files may be damaged when the machine stops amid a write'],
  ['synchronous_commit', 'the journal switches it on for its own connection'],
])

/** One line for each setting by which this server may lose what it has acknowledged. */
export async function durabilityWarnings(queries: Queries): Promise<readonly string[]> {
  const { rows } = await queries.query({
    text: "SELECT name FROM pg_settings WHERE name = ANY($1) AND setting = 'off' ORDER BY name",
    values: [[...doubtful.keys()]],
  })
  return rows.map(({ name }) => `PostgreSQL runs with ${name} = off: ${doubtful.get(name)}`)
}
