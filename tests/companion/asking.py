"""Requests for inputs of the referee, as the page sends them."""

from __future__ import annotations

from companion.table.requests import ChooseSeats, SubmitInput, UndoLast, parse_input


def correct_look(look, faces, by="") -> SubmitInput:
    return parse_input({"correct": look, "faces": faces}, by)


def undo_look(look=None, by="") -> SubmitInput | UndoLast:
    return UndoLast(by) if look is None else parse_input({"undo": look}, by)


def appeal_look(look, by) -> SubmitInput:
    return parse_input({"appeal": look, "by": by}, by)


def give_answer(question, choice, by="") -> SubmitInput:
    return parse_input({"answer": question, "choice": choice}, by)


def change_settings(settings, by="") -> SubmitInput:
    return parse_input({"set": settings}, by)


def swap_seats(players, by="") -> SubmitInput:
    return parse_input({"swap": players}, by)


def take_seats(seats="", order=(), by="") -> SubmitInput | ChooseSeats:
    return ChooseSeats(order, by) if order else parse_input({"seats": seats}, by)
