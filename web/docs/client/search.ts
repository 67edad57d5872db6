import { type Search, searchIn } from '../search-engine.ts'

/** Loads the index of the site. */
export async function loadSearch(): Promise<Search> {
  const response = await fetch(document.documentElement.dataset['search']!)
  if (!response.ok) throw new Error(`search index: status ${response.status}`)
  return searchIn(await response.json())
}
