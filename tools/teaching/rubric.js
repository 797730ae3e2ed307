// Under each answer that has a rubric, a button for each part: it adds the part's points and its words to the comment.
function addRubrics(rubrics) {
  for (const [name, parts] of Object.entries(rubrics)) {
    const comment = document.getElementById(`${name}-comment`);
    if (!comment) continue;
    const list = document.createElement("div");
    list.className = "rubric";
    for (const part of parts) {
      const button = document.createElement("button");
      button.type = "button";
      button.className = "btn btn-default btn-sm";
      button.style.cssText = "white-space: normal; text-align: left; margin: 0.2em;";
      button.textContent = (part.points ? `+${part.points}: ` : "") + part.text;
      button.addEventListener("click", () => choose(name, comment, part));
      list.append(button);
    }
    comment.before(list);
  }
}

// nbgrader saves an input when it changes, by jQuery's events.
function choose(name, comment, part) {
  const line = (part.points ? `+${part.points}: ` : "") + part.text;
  if (comment.value.split("\n").includes(line)) return;
  $(comment).val([comment.value, line].filter(Boolean).join("\n")).trigger("change");
  if (!part.points) return;
  const score = document.getElementById(name);
  $(score).val(Number(score.value || 0) + part.points).trigger("change");
}
