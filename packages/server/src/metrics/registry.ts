/** Metrics for Prometheus. */
export interface Registry {
  counter(name: string, help: string): Counter;
  histogram(name: string, help: string, bounds: readonly number[]): Histogram;
  /** A value that is read on each scrape. */
  gauge(name: string, help: string, read: () => number): void;
  /** All metrics in the Prometheus text format. */
  text(): string;
}

export type Labels = Readonly<Record<string, string>>;

export interface Counter {
  add(labels?: Labels, by?: number): void;
}

export interface Histogram {
  observe(value: number, labels?: Labels): void;
}

interface Measured {
  readonly counts: number[];
  sum: number;
}

/** The limit of label sets per metric, because clients can choose labels. */
const mostSeries = 2000;

export function createRegistry(): Registry {
  const metrics: (() => string)[] = [];
  const head = (name: string, help: string, type: string): string => `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`;
  return {
    counter(name, help) {
      const values = new Map<string, number>();
      metrics.push(
        () =>
          head(name, help, "counter") + [...values].map(([labels, value]) => `${name}${labels} ${value}\n`).join(""),
      );
      return {
        add(labels = {}, by = 1) {
          const key = keyOf(labels);
          const known = values.get(key);
          if (known !== undefined || values.size < mostSeries) values.set(key, (known ?? 0) + by);
        },
      };
    },
    histogram(name, help, bounds) {
      const values = new Map<string, Measured>();
      metrics.push(
        () =>
          head(name, help, "histogram") +
          [...values].map(([labels, measured]) => histogramText(name, labels, bounds, measured)).join(""),
      );
      return {
        observe(value, labels = {}) {
          const key = keyOf(labels);
          const known = values.get(key) ?? { counts: Array.from({ length: bounds.length + 1 }, () => 0), sum: 0 };
          if (!values.has(key) && values.size >= mostSeries) return;
          values.set(key, known);
          const at = bounds.findIndex((bound) => value <= bound);
          const slot = at === -1 ? bounds.length : at;
          known.counts[slot] = (known.counts[slot] ?? 0) + 1;
          known.sum += value;
        },
      };
    },
    gauge(name, help, read) {
      metrics.push(() => `${head(name, help, "gauge")}${name} ${read()}\n`);
    },
    text: () => metrics.map((write) => write()).join(""),
  };
}

function histogramText(name: string, labels: string, bounds: readonly number[], { counts, sum }: Measured): string {
  let total = 0;
  const inner = labels === "" ? "" : `${labels.slice(1, -1)},`;
  const lines = [...bounds, Infinity].map((bound, i) => {
    total += counts[i] ?? 0;
    return `${name}_bucket{${inner}le="${bound === Infinity ? "+Inf" : bound}"} ${total}\n`;
  });
  return `${lines.join("")}${name}_sum${labels} ${sum}\n${name}_count${labels} ${total}\n`;
}

const keyOf = (labels: Labels): string => {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`);
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
};

const escaped = (value: string): string =>
  value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
