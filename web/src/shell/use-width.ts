import { useEffect, useState } from 'preact/hooks'

/** The width of an element in pixels, as it is now. */
export function useWidth(element: { readonly current: HTMLElement | null }, first = 600): number {
  const [width, setWidth] = useState(first)
  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => setWidth(Math.max(entry!.contentRect.width, 60)))
    if (element.current) observer.observe(element.current)
    return () => observer.disconnect()
  }, [element.current === null])
  return width
}
