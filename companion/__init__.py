"""War Referee: the rules, the table, the log and the page. Usable without `vision`."""
