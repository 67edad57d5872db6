import { Html, type HtmlPiece, html } from './html.ts'
import { style, styleSource } from './style.ts'

/** A page, ready to send. Header names and values alternate. */
export type Sheet = { readonly status: number; readonly html: string; readonly headers: readonly string[] }

export type SheetParts = {
  /** The title names the page. */
  readonly title: string
  readonly status?: number
  readonly main: Html
  /** Footer. */
  readonly foot?: HtmlPiece
  readonly isWide?: boolean
  /** The world, if it is not `main`. */
  readonly world?: string | undefined
  /** A target that a form of the page may redirect to, besides this server. */
  readonly redirectsTo?: string | undefined
  /** The page asks the browser for a passkey, which needs a script. No other page has one. */
  readonly hasPasskeys?: boolean
}

export function sheet(parts: SheetParts): Sheet {
  return {
    status: parts.status ?? 200,
    html: documentOf(parts).markup,
    headers: [...guards, 'Content-Security-Policy', policy(parts)],
  }
}

/**
 * Pages cannot be framed, and no other site receives their URL. Our own forms do send their origin: over plain http
 * outside of loopback, the origin is the only proof that a form is ours.
 */
const guards = [
  'Referrer-Policy',
  'same-origin',
  'X-Frame-Options',
  'DENY',
  'Cross-Origin-Resource-Policy',
  'same-origin',
] as const

function policy({ redirectsTo, hasPasskeys = false }: SheetParts): string {
  const forms = redirectsTo === undefined ? "'self'" : `'self' ${sheetSource(redirectsTo)}`
  return [
    "default-src 'none'",
    ...(hasPasskeys ? ["script-src 'self'"] : []),
    `style-src ${styleSource}`,
    "img-src 'none'",
    `form-action ${forms}`,
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; ')
}

/** Browsers apply `form-action` to redirects of a form. The CSP grammar has no IPv6 hosts, so those use the scheme. */
export function sheetSource(uri: string): string {
  const scheme = /^[a-z][a-z0-9+.-]*:/i.exec(uri)?.[0].toLowerCase() ?? ''
  if (scheme !== 'http:' && scheme !== 'https:') return scheme
  const origin = URL.parse(uri)?.origin ?? scheme
  return /^https?:\/\/[a-z0-9.-]+(:\d+)?$/.test(origin) ? origin : scheme
}

function documentOf({ title, main, foot, isWide = false, world, hasPasskeys = false }: SheetParts): Html {
  const width = isWide ? ' wide' : ''
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title} · Quipu</title>
<style>${asIs}</style>${
    hasPasskeys &&
    html`
<script type="module" src="../passkeys.js"></script>`
  }
</head>
<body>
<header class="top${width}">${knots}<span>Quipu</span>${world !== undefined && html`<span class="world">World <bdi>${world}</bdi></span>`}</header>
<main class="${width.trim()}">
${main}
</main>
${foot !== undefined && html`<footer class="foot${width}">${foot}</footer>`}
</body>
</html>
`
}

/** The digest in the policy covers exactly these characters. */
const asIs = new Html(style)

/** A quipu: cords with knots. */
const knots = html`<svg viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="1.6" stroke-linecap="round" aria-hidden="true"><path d="M2 4.5q10 3 20 0M6 5.6V19M12 6v15M18 5.6V17"/><g fill="currentColor" stroke="none"><circle cx="6" cy="13" r="2.4"/><circle cx="12" cy="11" r="2.4"/><circle cx="12" cy="17" r="2.4"/><circle cx="18" cy="12" r="2.4"/></g></svg>`
