/** The changelog with the date of a release in its heading, and the notes of that release. */
export type DatedChangelog = { readonly text: string; readonly notes: string }

/**
 * The heading of the next release is `## Unreleased`, or a version with `(not released)`. A release without notes is an
 * error: users read them before an update.
 */
export function dateChangelog(text: string, version: string, date: string): DatedChangelog {
  const found = /^## (?:Unreleased|\S+ \(not released\))$/m.exec(text)
  if (!found) throw new Error(`CHANGELOG.md: expected the heading "## ${version} (not released)"`)
  const after = text.slice(found.index + found[0].length)
  const notes = after.split(/^## /m)[0]!.trim()
  if (notes === '') throw new Error(`CHANGELOG.md: ${version} has no notes`)
  const dated = `## ${version} (${date})`
  return { text: text.slice(0, found.index) + dated + after, notes: `# Quipu ${version}\n\n${notes}\n` }
}
