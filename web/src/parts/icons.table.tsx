/** Line icons on a grid of 16. Functions, because an element that is used again keeps each earlier screen in memory. */
export const icons = {
  workspace: () => (
    <>
      <rect x="2.500" y="3" width="11" height="10" rx="1.500" />
      <path d="M6 3v6.500M10.500 3v6.500M2.500 9.500h11" />
    </>
  ),
  columns: () => (
    <>
      <rect x="2.500" y="3" width="11" height="10" rx="1.500" />
      <path d="M6.200 3v10M9.800 3v10" />
    </>
  ),
  candles: () => (
    <>
      <path d="M4.250 2.500v11M11.750 2v12" />
      <rect x="2.750" y="5.500" width="3" height="5" fill="currentColor" />
      <rect x="10.250" y="4.500" width="3" height="6" fill="currentColor" />
    </>
  ),
  rewind: () => <path d="M6 3 3 6l3 3M3 6h6.500a3.500 3.500 0 0 1 0 7H6" />,
  list: () => <path d="M3 4h10M3 8h10M3 12h6" />,
  scale: () => (
    <path d="M8 3v10M4.500 13h7M3 5.500 8 4l5 1.500M1.500 9.500 3 5.500l1.500 4a1.600 1.600 0 0 1-3 0M11.500 9.500l1.500-4 1.500 4a1.600 1.600 0 0 1-3 0" />
  ),
  globe: () => (
    <>
      <circle cx="8" cy="8" r="5.500" />
      <path d="M2.500 8h11M8 2.500c3.400 3.400 3.400 7.600 0 11-3.400-3.400-3.400-7.600 0-11" />
    </>
  ),
  pulse: () => <path d="M1.500 8.500h3L6.500 3l3 10 2-4.500h3" />,
  token: () => (
    <>
      <path d="m8 2 5.200 3v6L8 14l-5.200-3V5z" />
      <circle cx="8" cy="8" r="2" />
    </>
  ),
  key: () => (
    <>
      <circle cx="5.500" cy="10.500" r="2.800" />
      <path d="M7.600 8.400 13 3M10.500 5.500l2 2" />
    </>
  ),
  sliders: () => (
    <>
      <path d="M2.500 4.500h11M2.500 11.500h11" />
      <circle cx="6" cy="4.500" r="1.700" fill="var(--sheet)" />
      <circle cx="10.500" cy="11.500" r="1.700" fill="var(--sheet)" />
    </>
  ),
  book: () => (
    <path d="M8 4.200C6.500 3 4.500 2.700 2.500 3v9.500c2-.3 4 0 5.500 1.200 1.500-1.200 3.500-1.500 5.500-1.200V3c-2-.3-4 0-5.500 1.200zM8 4.200v9.500" />
  ),
  search: () => (
    <>
      <circle cx="7" cy="7" r="4.200" />
      <path d="m10.200 10.200 3.300 3.300" />
    </>
  ),
  upDown: () => <path d="m5 6 3-3 3 3M5 10l3 3 3-3" />,
  down: () => <path d="m4 6 4 4 4-4" />,
  theme: () => (
    <>
      <circle cx="8" cy="8" r="5.500" />
      <path d="M8 2.500v11a5.500 5.500 0 0 0 0-11z" fill="currentColor" />
    </>
  ),
  clock: () => (
    <>
      <circle cx="8" cy="8" r="5.800" />
      <path d="M8 4.500V8l2.300 1.500" />
    </>
  ),
  warning: () => <path d="M8 2.500 14 13H2zM8 6.500v3M8 11.300v.2" />,
  plug: () => <path d="M6 2v3M10 2v3M4.500 5h7v2.500a3.500 3.500 0 0 1-7 0zM8 11v3" />,
  copy: () => (
    <>
      <rect x="5.500" y="5.500" width="8" height="8" rx="1.500" />
      <path d="M10.500 3.500v-1h-8v8h1" />
    </>
  ),
  fork: () => (
    <>
      <circle cx="4.500" cy="3.500" r="1.500" />
      <circle cx="11.500" cy="3.500" r="1.500" />
      <circle cx="8" cy="12.500" r="1.500" />
      <path d="M4.500 5v1.500c0 1 .7 1.500 1.500 1.500h4c.8 0 1.500-.5 1.500-1.500V5M8 8v3" />
    </>
  ),
  download: () => <path d="M8 2.500v7M5 7l3 3 3-3M3 13h10" />,
  upload: () => <path d="M8 10V3M5 5.500l3-3 3 3M3 13h10" />,
  trash: () => <path d="M2.500 4.500h11M6 4.500v-2h4v2M4 4.500l.7 9h6.600l.7-9M6.700 7v4M9.300 7v4" />,
  plus: () => <path d="M8 3v10M3 8h10" />,
  close: () => <path d="m4 4 8 8M12 4l-8 8" />,
  bolt: () => <path d="M9 1.500 3.500 9H8l-1 5.500L12.500 7H8z" />,
  play: () => <path d="M5 2.800v10.400L13 8z" fill="currentColor" />,
  runs: () => <path d="M3 3.500 7.500 8 3 12.500M9.500 4.500H13M11 8h2M9.500 11.500H13" />,
  pause: () => <path d="M5 3v10M11 3v10" stroke-width="2.500" />,
  more: () => (
    <>
      <circle cx="3.500" cy="8" r=".8" fill="currentColor" />
      <circle cx="8" cy="8" r=".8" fill="currentColor" />
      <circle cx="12.500" cy="8" r=".8" fill="currentColor" />
    </>
  ),
  check: () => <path d="m3 8.500 3.200 3.200L13 4.500" />,
  external: () => <path d="M9 3h4v4M13 3 7.500 8.500M6 4H3v9h9v-3" />,
} as const
