// Draws the charts, and writes their numbers as tables when they are asked for.
const charts = JSON.parse(document.getElementById("charts").textContent);
const dark = matchMedia("(prefers-color-scheme: dark)");
const rows = (table) => table.rows.map((row) => Object.fromEntries(table.fields.map((name, i) => [name, row[i]])));

function draw() {
  const ink = getComputedStyle(document.documentElement).getPropertyValue("--ink").trim();
  const rule = getComputedStyle(document.documentElement).getPropertyValue("--rule").trim();
  const config = {
    background: "transparent",
    font: "system-ui, sans-serif",
    view: { stroke: null },
    axis: { labelColor: ink, titleColor: ink, gridColor: rule, domainColor: rule, tickColor: rule, titleFontWeight: "normal" },
    legend: { labelColor: ink, titleColor: ink, titleFontWeight: "normal" },
    range: { ramp: dark.matches ? ["#20303f", "#4292c6", "#fdbe6f"] : ["#dbe9f5", "#4292c6", "#0b3c66"] },
    params: [{ name: "empty", value: rule }],
  };
  return Promise.all(charts.map((chart) => {
    const datasets = Object.fromEntries(Object.entries(chart.tables).map(([name, table]) => [name, rows(table)]));
    return vegaEmbed(`#${chart.id}`, { ...chart.spec, datasets }, { actions: false, renderer: "svg", config });
  }));
}

for (const chart of charts) {
  const place = document.querySelector(`[data-table="${chart.id}"]`);
  place.closest("details").addEventListener("toggle", () => {
    if (place.firstChild) return;
    for (const table of Object.values(chart.tables)) {
      const made = document.createElement("table");
      const head = made.createTHead().insertRow();
      for (const name of table.fields) {
        const cell = document.createElement("th");
        cell.scope = "col";
        cell.textContent = name;
        head.append(cell);
      }
      const body = made.createTBody();
      for (const row of table.rows.slice(0, 2000)) {
        const line = body.insertRow();
        for (const value of row) {
          const cell = line.insertCell();
          cell.textContent = typeof value === "number" ? value.toLocaleString("en") : value;
          if (typeof value === "number") cell.className = "n";
        }
      }
      place.append(made);
    }
  });
}

dark.addEventListener("change", draw);
draw().then(() => { document.body.dataset.drawn = "yes"; });
