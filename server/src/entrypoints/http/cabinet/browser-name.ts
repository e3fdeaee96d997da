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

/**
 * The browser and the system that a text names, as a person recognises them in a list of sessions; empty if it names neither. Nothing else
 * of the text is kept.
 */
export function browserName(userAgent = ''): string {
  return [browsers, systems].flatMap(known => known.find(([form]) => form.test(userAgent))?.[1] ?? []).join(', ')
}
