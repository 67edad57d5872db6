import type { Queries } from './connection.ts'

/** Settings that risk data loss when they are off, with the consequence. */
const riskySettings = new Map([
  ['fsync', 'acknowledged data may be lost, and its files damaged, when the machine stops'],
  ['full_page_writes', 'its files may be damaged when the machine stops during a write'],
  ['synchronous_commit', 'the journal switches it on for its own connection'],
])

/** One warning for each setting that may lose acknowledged data. */
export async function durabilityWarnings(queries: Queries): Promise<readonly string[]> {
  const { rows } = await queries.query({
    text: "SELECT name FROM pg_settings WHERE name = ANY($1) AND setting = 'off' ORDER BY name",
    values: [[...riskySettings.keys()]],
  })
  return rows.map(({ name }) => `PostgreSQL runs with ${name} = off: ${riskySettings.get(name)}`)
}
