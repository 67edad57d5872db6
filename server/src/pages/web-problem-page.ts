import { html } from './html.ts'
import { problemPage } from './problem-page.ts'
import { type Sheet, sheet } from './sheet.ts'

/** The page for a wrong address. The link is relative, because a proxy may serve the server under a path. */
export const wrongAddressPage = (path: string): Sheet =>
  problemPage({
    title: 'There is no such page',
    status: 404,
    words: ['The address may be mistyped, or the page may have moved.'],
    next: { href: '../'.repeat(path.split('/').length - 2) || './', words: 'Go to the dashboard' },
  })

/** The page of a checkout without a build. */
export const notBuiltPage = (path: string): Sheet =>
  problemPage({
    title: 'The dashboard is not built',
    status: path === '/' ? 200 : 404,
    words: [
      'The server runs, and programs can use it. In the folder of the checkout, `npm run build:web` builds the dashboard and the documentation. Then load this page again.',
    ],
  })

/** The page of a checkout whose dashboard is being built. It has no script: the browser follows the header. */
export function beingBuiltPage(path: string): Sheet {
  const title = 'The dashboard is being built'
  const page = sheet({
    title,
    status: path === '/' ? 200 : 503,
    main: html`${cord}
<h1>${title}</h1>
<p>This takes a few seconds, at the first start and after changes. The page reloads itself.</p>
<p class="soft small">The server runs already, and programs can use it.</p>`,
  })
  return { ...page, headers: [...page.headers, 'Refresh', String(RELOAD_S)] }
}

/** One turn of the animation, so that it goes on after a reload. */
const RELOAD_S = 2

/** A cord that is being knotted. */
const cord = html`<svg class="knotting" viewBox="0 0 320 28" aria-hidden="true"><path d="M4 12q156 12 312 0"/>${[40, 88, 136, 184, 232, 280].map((x) => html`<circle cx="${String(x)}" cy="${String(Math.round(18 - ((x - 160) / 160) ** 2 * 6))}" r="6"/>`)}</svg>`
