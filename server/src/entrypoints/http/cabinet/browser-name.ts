const browsers = [
  [/\bEdg(?:A|iOS)?\//u, 'Edge'],
  [/\bOPR\//u, 'Opera'],
  [/\b(?:Firefox|FxiOS)\//u, 'Firefox'],
  [/\b(?:Chrome|CriOS|Chromium)\//u, 'Chrome'],
  [/\bSafari\//u, 'Safari'],
] as const

const systems = [
  [/\b(?:iPhone|iPad)\b/u, 'iOS'],
  [/\bAndroid\b/u, 'Android'],
  [/\bWindows\b/u, 'Windows'],
  [/\bMac OS X\b/u, 'macOS'],
  [/\bLinux\b/u, 'Linux'],
] as const

/** What a browser calls itself, in words that a person recognises in a list of sessions. Nothing else of the text is kept. */
export function browserName(userAgent = ''): string {
  const name = (known: readonly (readonly [RegExp, string])[]) => known.find(([form]) => form.test(userAgent))?.[1]
  const [browser, system] = [name(browsers), name(systems)]
  return [browser ?? 'Another program', ...(system === undefined ? [] : [system])].join(', ')
}
