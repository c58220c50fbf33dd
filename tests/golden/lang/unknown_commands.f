runn 60
defin fileset name=a,
  path=/tmp,
  entries=5
defin process name=p
{
  thread name=t {
    flowop read name=r
  }
}
stat clear
hlep
"text"
$x=5
= 5
}
{ run 5 }
usge "text"
