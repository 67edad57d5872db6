import assert from 'node:assert/strict'
import { dirname } from 'node:path/posix'
import { before, test } from 'node:test'
import { errors, operations } from '@quipu/contract'
import { searchIn } from '../../web/docs/search-engine.ts'
import { screens } from '../../web/src/screens.table.ts'
import { builtDocs } from './docs-site.ts'

let files: ReadonlyMap<string, string>
before(async () => {
  ;({ files } = await builtDocs())
})

const addressOf = (name: string): string =>
  name === 'docs/index.html' ? 'docs' : name.replace(/\.html$/, '')
const pages = (): readonly (readonly [address: string, html: string])[] =>
  [...files].filter(([name]) => name.endsWith('.html')).map(([name, html]) => [addressOf(name), html])

/** Addresses of the server outside of the docs that pages link to. */
const others = new Set(['', 'icon.svg', 'openapi.json', 'oauth/sign-in', ...screens.map(({ path }) => path)])

/** The site is below a path, as behind a proxy. */
const base = 'http://site/some/path/'

/** The links that lead nowhere. `idsOf` returns the anchors of a target, or undefined if there is none. */
function brokenLinks(
  links: readonly (readonly [from: string, href: string])[],
  idsOf: (path: string) => ReadonlySet<string> | undefined,
): readonly string[] {
  // Pages of a folder have most of their links in common.
  const folders = new Map(
    links.map(([from, href]) => [
      href.startsWith('#') ? from + href : `${dirname(from)} ${href}`,
      [from, href] as const,
    ]),
  )
  return [...folders.values()]
    .filter(([from, href]) => {
      const { href: url, hash: anchor } = new URL(href, base + from)
      if (!url.startsWith('http://site/')) return false
      const ids = url.startsWith(base) ? idsOf(url.slice(base.length).split('#')[0]!) : undefined
      return ids === undefined || (anchor !== '' && !ids.has(decodeURIComponent(anchor.slice(1))))
    })
    .map(([from, href]) => `${from}: ${href}`)
}

const noIds: ReadonlySet<string> = new Set()

test('every link and anchor of every page leads somewhere', () => {
  const ids = new Map(
    pages().map(([address, html]) => [
      address,
      new Set([...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id!)),
    ]),
  )
  const links = pages().flatMap(([address, html]) =>
    [...html.matchAll(/ (?:href|src)="([^"]*)"/g)].map(
      ([, href]) => [address, href!.replaceAll('&amp;', '&')] as const,
    ),
  )
  assert.ok(links.length > 10_000)
  const targets = (path: string) =>
    ids.get(path) ??
    (files.has(path) && !path.endsWith('.html')
      ? new Set(iconsOf(path))
      : others.has(path)
        ? noIds
        : undefined)
  assert.deepEqual(brokenLinks(links, targets), [])
})

const iconsOf = (path: string): readonly string[] =>
  path.endsWith('.svg') ? [...files.get(path)!.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id!) : []

test('every link of llms.txt and of the Markdown of a page leads to a file', () => {
  const links = [...files]
    .filter(([name]) => /\.(md|txt)$/.test(name))
    .flatMap(([name, text]) =>
      [...text.replace(/```[\s\S]*?```/g, '').matchAll(/\]\(([^()\s]+)\)/g)].map(
        ([, href]) => [name, href!.split('#')[0]!] as const,
      ),
    )
  assert.ok(links.length > 500)
  assert.deepEqual(
    brokenLinks(links, (path) => (files.has(path) ? noIds : undefined)),
    [],
  )
  assert.match(files.get('llms.txt')!, /\]\(docs\/guides\/run\.md\).*\]\(docs\/api\/orders\.md\)/s)
})

test('pages have no inline script or style, load nothing from elsewhere, and have one title', () => {
  for (const [address, html] of pages()) {
    assert.doesNotMatch(
      html,
      /<style|<[^>]+ style=|<[^>]+ on\w+=|<script(?! (type="module" )?src="[^:"]+")/,
      address,
    )
    assert.doesNotMatch(html, /<(?:link|script|img|use)[^>]+(?:href|src)="(?:[a-z]+:|\/)/, address)
    assert.equal(html.match(/<h1[ >]/g)?.length, 1, address)
  }
})

test('every operation has a page, and every error an address', () => {
  const names = pages().map(([address]) => address.toLowerCase())
  assert.equal(new Set(names).size, names.length, 'names differ also where case does not count')
  for (const [name, { path, method }] of Object.entries(operations)) {
    const html = files.get(`docs/api/${name}.html`) ?? ''
    for (const part of [`>${method === 'DELETE' ? 'DEL' : method}<`, 'curl', `client.${name}(`, 'requests.'])
      assert.ok(html.includes(part), `${name}: ${part}`)
    assert.ok(files.get(`docs/api/${name}.md`)?.includes(path.replaceAll('...}', '}')), name)
  }
  const page = files.get('docs/reference/errors.html')!
  for (const name of Object.keys(errors)) assert.ok(page.includes(`id="error-${name}"`), name)
})

test('the search finds errors, operations, commands and guides', () => {
  const [, index] = [...files].find(([name]) => /^docs\/assets\/search-.*\.json$/.test(name))!
  const search = searchIn(JSON.parse(index))
  const first = (query: string) => search(query, 1).hits[0]?.href
  assert.equal(first('insufficientBuyingPower'), 'docs/reference/errors#error-insufficientBuyingPower')
  assert.equal(first('placeOrder'), 'docs/api/placeOrder')
  assert.equal(first('quipu completion'), 'docs/reference/cli#quipu-completion-shell')
  assert.equal(first('tutorial'), 'docs/tutorial')
  assert.equal(first('corporate actoins'), 'docs/guides/corporate-actions', 'a word with a wrong letter')
  assert.deepEqual(search('qqqqqq', 5), { hits: [], total: 0 })
})
