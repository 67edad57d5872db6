import { problemPage } from './problem-page.ts'
import type { Sheet } from './sheet.ts'

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
