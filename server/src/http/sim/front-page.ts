/** What someone sees who opens the address in a browser. Nothing is loaded from elsewhere, and no script runs. */
export const frontPage = (version: string, url: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Quipu</title>
<style>
body { font: 16px/1.5 system-ui, sans-serif; max-width: 42rem; margin: 3rem auto; padding: 0 1rem }
pre { overflow-x: auto; padding: .75rem; border: 1px solid #8886; border-radius: 4px }
:root { color-scheme: light dark }
</style>
</head>
<body>
<h1>Quipu ${escaped(version)}</h1>
<p>This is a brokerage for programs: accounts, orders, market data, streams, OAuth apps and tokenized shares,
speaking the public Alpaca protocol. Its prices are made up and its money is not real.</p>
<p>Point a client at <code>${escaped(url)}</code>, with the key that <code>quipu env</code> prints:</p>
<pre>curl -H "APCA-API-KEY-ID: $APCA_API_KEY_ID" -H "APCA-API-SECRET-KEY: $APCA_API_SECRET_KEY" ${escaped(url)}/v2/account</pre>
<ul>
<li><a href="/oauth/apps">Sign in, and see which apps may act for you</a></li>
<li><a href="/docs">Reference of all operations</a></li>
<li><a href="/openapi.json">The same as OpenAPI</a></li>
<li><a href="/readyz">Is it ready?</a> <a href="/metrics">Its numbers</a></li>
</ul>
</body>
</html>
`

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
